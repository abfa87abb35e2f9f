/** Lets the owner of a link hear that a client held files back by itself. The server learns no size, name or number. */
import type { HeldBack } from '@blindkeep/protocol/schemas/links'
import type { Calls } from '../http/call.ts'

/** A command may wait for it at its end. */
const TIMEOUT_MS = 5_000

/** Resolves with whether the server has noted it. Never rejects. */
export type NoteHeldBack = (why: HeldBack) => Promise<boolean>

/** One request for each reason, and no second try: nothing depends on it. */
export function createNoteHeldBack({ call }: Pick<Calls, 'call'>, opaqueId: string): NoteHeldBack {
  const noted = new Map<HeldBack, Promise<boolean>>()
  const note = (why: HeldBack) =>
    call('noteHeldBack', { path: { opaque_id: opaqueId }, body: { why }, timeoutMs: TIMEOUT_MS }).then(
      () => true,
      // Older servers do not know the operation.
      () => false,
    )
  return (why) => {
    const known = noted.get(why) ?? note(why)
    noted.set(why, known)
    return known
  }
}
