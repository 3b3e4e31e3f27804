import type { Exact } from "./exact.ts";
import { floatOf, integerOf } from "./numbers.ts";

/** What PyYAML makes of a word without quotes; YAML 1.1 as it is read, not as it is written. */
export function plainValue(source: string): Exact {
  if (trueWord.test(source)) return true;
  if (falseWord.test(source)) return false;
  if (floatWord.test(source)) return floatOf(source) ?? foreign("float", source);
  if (integerWord.test(source)) return integerOf(source) ?? foreign("int", source);
  if (nullWord.test(source)) return null;
  if (timeWord.test(source)) return foreign("timestamp", source);
  return source;
}

/** With a tag of YAML's own; undefined where the tag is another. */
export function taggedValue(tag: string, source: string): Exact | undefined {
  switch (tag) {
    case "tag:yaml.org,2002:str":
      return source;
    case "tag:yaml.org,2002:null":
      return null;
    case "tag:yaml.org,2002:bool":
      return trueWord.test(source) || (falseWord.test(source) ? false : undefined);
    case "tag:yaml.org,2002:int":
      return integerOf(source);
    case "tag:yaml.org,2002:float":
      return floatOf(integerWord.test(source) ? `${source}.0` : source);
    default:
      return undefined;
  }
}

function foreign(kind: string, source: string): Exact {
  return { foreign: kind, value: source, source };
}

const trueWord = /^(?:yes|Yes|YES|true|True|TRUE|on|On|ON)$/;
const falseWord = /^(?:no|No|NO|false|False|FALSE|off|Off|OFF)$/;
const floatWord =
  /^(?:[-+]?\d[\d_]*\.[\d_]*(?:[eE][-+]\d+)?|\.\d[\d_]*(?:[eE][-+]\d+)?|[-+]?\d[\d_]*(?::[0-5]?\d)+\.[\d_]*|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;
const integerWord = /^(?:[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?(?:0|[1-9][\d_]*)|[-+]?0x[\da-fA-F_]+|[-+]?[1-9][\d_]*(?::[0-5]?\d)+)$/;
const nullWord = /^(?:~|null|Null|NULL|)$/;
const timeWord = /^(?:\d{4}-\d\d-\d\d|\d{4}-\d\d?-\d\d?(?:[Tt]|[ \t]+)\d\d?:\d\d:\d\d(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)$/;
