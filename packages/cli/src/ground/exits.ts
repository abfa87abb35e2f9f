/** `moved`: the server is at another address now, and a person has to decide whether to follow it. */
export const EXIT = { done: 0, failed: 1, usage: 2, untrusted: 3, moved: 4, interrupted: 130 } as const
export type Exit = (typeof EXIT)[keyof typeof EXIT]

/** Of a call that goes on after a failure: a lie says more than a failure. */
export function exitOf(failed: readonly Exit[]): Exit {
  if (failed.length === 0) return EXIT.done
  return [EXIT.untrusted, EXIT.moved].find((exit) => failed.includes(exit)) ?? EXIT.failed
}

/** The call is wrong. The message says what to call instead. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Something on this machine is in the way. The message says what to do. */
export class LocalError extends Error {
  override readonly name = 'LocalError'
}
