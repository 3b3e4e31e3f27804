import { buildProduct } from "../../scripts/build.ts";

/** Tests run the command line as a person does: the bundle, made from what lies here now. */
export async function setup(): Promise<void> {
  await buildProduct();
}
