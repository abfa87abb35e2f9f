/** Lets the owner of a link hear that a client held files back by itself. The server learns no size, name or number. */
import type { HeldBack } from '@blindkeep/protocol/schemas/links'
import type { Calls } from '../http/call.ts'

const TIMEOUT_MS = 5_000

/** Resolves with whether the server has noted it; at once, and with no, when the signal aborts. Never rejects. */
export type NoteHeldBack = (why: HeldBack, signal?: AbortSignal) => Promise<boolean>

/** One request for each reason, and no second try: nothing depends on it. */
export function createNoteHeldBack({ call }: Pick<Calls, 'call'>, opaqueId: string): NoteHeldBack {
  const noted = new Map<HeldBack, Promise<boolean>>()
  const note = (why: HeldBack, signal: AbortSignal | undefined) =>
    call('noteHeldBack', { path: { opaque_id: opaqueId }, body: { why }, timeoutMs: TIMEOUT_MS, signal }).then(
      () => true,
      // Older servers do not know the operation.
      () => false,
    )
  return (why, signal) => {
    const known = noted.get(why) ?? note(why, signal)
    noted.set(why, known)
    return known
  }
}
