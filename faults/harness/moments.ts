/** Moments of the load at which a kill is interesting: a request was just sent, or just answered. */
export const MOMENTS = [
  'create sent',
  'created',
  'chunk sent',
  'last chunk sent',
  'landed',
  'discard sent',
  'cancel sent',
  'revoke sent',
  'adopt sent',
  'adopted',
  'delete sent',
  'deleted',
] as const
export type Moment = (typeof MOMENTS)[number]

export interface Moments {
  note(moment: Moment): void
  /** Resolves at the next such moment. */
  next(moment: Moment): Promise<void>
}

export function createMoments(): Moments {
  const waiting = new Map<Moment, (() => void)[]>()
  return {
    note(moment) {
      const resolvers = waiting.get(moment) ?? []
      waiting.delete(moment)
      for (const resolve of resolvers) resolve()
    },
    next: (moment) =>
      new Promise((resolve) => {
        waiting.set(moment, [...(waiting.get(moment) ?? []), resolve])
      }),
  }
}
