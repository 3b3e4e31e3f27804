/** What a process and all below it take of the machine. */
export interface Usage {
  readonly memoryBytes: number;
  /** Of one core, over a moment just now, and over its whole life; 1 is a core. Undefined where it can't be told. */
  readonly cpuNow: number | undefined;
  readonly cpuLife: number | undefined;
}

/** "0 % CPU", "99 % CPU" of one core. */
export function cpuWords({ cpuNow, cpuLife }: Usage): string | undefined {
  const share = cpuNow ?? cpuLife;
  return share === undefined ? undefined : `${Math.round(share * 100)} % CPU`;
}
