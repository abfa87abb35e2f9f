/** An owner at the command line, with a link through which guests drop files. */
import assert from 'node:assert/strict'
import type { PrepareOptions } from '@blindkeep/client/guest'
import type { CreatedLink, Owner } from '@blindkeep/client/owner'
import { sendFile } from '../../../../testing/people.ts'
import type { Exchanged, Tampering } from '../../../../testing/tamperingProxy.ts'
import type { World } from './world.ts'

export interface Office {
  /** For `--profile`. */
  readonly profile: string
  /** The same account, in the library. */
  readonly owner: Owner
  readonly link: CreatedLink
  /** A guest drops a file. Resolves with the id of the drop. */
  drop(content: Uint8Array, facts?: Omit<PrepareOptions, 'source'>, url?: string): Promise<string>
  /** The ids of all pending drops. */
  pending(): Promise<readonly string[]>
}

export async function openOffice(world: World, profile: string): Promise<Office> {
  const owner = await world.signUp(profile)
  const link = await owner.createLink({ label: 'Front desk' })
  return {
    profile,
    owner,
    link,
    async drop(content, facts, url = link.url) {
      const { landed } = await sendFile(url, content, facts)
      const { ciphertextHash } = landed
      const found = (await owner.inbox()).find((item) => item.ciphertextHash === ciphertextHash)
      assert.ok(found)
      return found.dropId
    },
    pending: async () => (await owner.inbox()).map(({ dropId }) => dropId),
  }
}

/** The reading of a whole drop, or of its rest after a cut; names are read with a range from the first byte. */
export const isContentOf =
  (dropId: string) =>
  ({ path, headers }: Exchanged) =>
    path.endsWith(`/v1/drops/${dropId}/content`) && headers.range?.startsWith('bytes=0-') !== true

/** Holds an answer after so many bytes. `held` resolves when it is held. */
export function holding(
  matches: Tampering['matches'],
  afterBytes: number,
): Tampering & { readonly held: Promise<void> } {
  const held = Promise.withResolvers<void>()
  const meanwhile = async () => {
    held.resolve()
    // Until the client has ended, which closes the connection.
    await new Promise((resolve) => setTimeout(resolve, 60_000).unref())
  }
  return { matches, times: 1, sparesEndedTokens: true, cut: { afterBytes, meanwhile }, held: held.promise }
}
