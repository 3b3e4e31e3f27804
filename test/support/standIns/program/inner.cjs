// Loaded before everything else into a copy of Node that bears an agent's name: runs the stand-in, and leaves the arguments to it.
// https://nodejs.org/api/cli.html#-r---require-module. Node would take the first argument for a script.
require("node:module").runMain = () => {};
require("./standIn.cjs");
