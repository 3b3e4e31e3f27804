/** What follows the program in argv, told apart: a prompt that reads like a subcommand or a flag is neither. */
export interface CommandLine {
  /** What is no option nor an option's value: the subcommand and the prompt. */
  readonly words: readonly string[];
  has(...options: readonly string[]): boolean;
  valueOf(...options: readonly string[]): string | undefined;
}

/** `withValue` are the options that take the next argument, where that is no option itself. */
export function readCommandLine(args: readonly string[], withValue: ReadonlySet<string>): CommandLine {
  const words: string[] = [];
  const options = new Map<string, string | undefined>();
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? "";
    if (argument === "--") {
      words.push(...args.slice(index + 1));
      break;
    }
    if (!argument.startsWith("-")) {
      words.push(argument);
      continue;
    }
    const [name, value] = splitOption(argument);
    const next = args[index + 1];
    if (value === undefined && withValue.has(name) && next !== undefined && !next.startsWith("-")) {
      options.set(name, next);
      index++;
    } else {
      options.set(name, value);
    }
  }
  return {
    words,
    has: (...names) => names.some((name) => options.has(name)),
    valueOf: (...names) => names.map((name) => options.get(name)).find((value) => value !== undefined),
  };
}

function splitOption(argument: string): readonly [name: string, value: string | undefined] {
  const at = argument.startsWith("--") ? argument.indexOf("=") : -1;
  return at < 0 ? [argument, undefined] : [argument.slice(0, at), argument.slice(at + 1)];
}
