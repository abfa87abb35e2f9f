/** Whether the result of a `work` is a refusal (`Refused` in `ports/store.ts`), which undoes its transaction. */
export function isRefusal(result: unknown): boolean {
  return typeof result === 'object' && result !== null && 'refused' in result
}
