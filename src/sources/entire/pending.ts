interface Pending {
  readonly files: number;
  readonly tasks: number;
  readonly steps: number;
}

/** "2 files, 1 task, 3 steps not yet in a checkpoint"; undefined where nothing is pending. */
export function pendingWords({ files, tasks, steps }: Pending): string | undefined {
  const parts = [...counted(files, "file"), ...counted(tasks, "task"), ...counted(steps, "step")];
  return parts.length === 0 ? undefined : `${parts.join(", ")} not yet in a checkpoint`;
}

function counted(count: number, what: string): readonly string[] {
  if (count <= 0) return [];
  return [count === 1 ? `1 ${what}` : `${count} ${what}s`];
}
