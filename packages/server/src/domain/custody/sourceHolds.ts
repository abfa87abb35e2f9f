/** Holds on all that came through one link, or on one drop, for an operator who knows no hash. */
import type { Sha256Hex } from '@blindkeep/protocol/ids'
import type { Clock } from '../../ports/clock.ts'
import type { HeldSource, Store, WriteTx } from '../../ports/store.ts'

const MAX_OF_ONE_WRITE = 256

/**
 * Holds each content that came from there until now. One that is on hold already keeps its reason. The reason of the
 * others ends with the source, by which `releaseSource` finds them, also after their files were deleted.
 */
export async function holdSource(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  source: HeldSource,
  reason: string,
): Promise<{ readonly found: number; readonly added: number }> {
  const contents = await store.read((tx) => tx.holds.contentsOf(source))
  const marked = { reason: `${reason}${markOf(source)}`, createdAt: clock.now() }
  const added = await changeEach(store, contents, (tx, ciphertextHash) => tx.holds.add({ ciphertextHash, ...marked }))
  return { found: contents.length, added }
}

/** Ends the holds that `holdSource` made, and no other. Returns how many. */
export async function releaseSource(store: Store, source: HeldSource): Promise<number> {
  const holds = await store.read((tx) => tx.holds.list())
  const made = holds.filter(({ reason }) => reason.endsWith(markOf(source)))
  return changeEach(
    store,
    made.map(({ ciphertextHash }) => ciphertextHash),
    (tx, ciphertextHash) => tx.holds.remove(ciphertextHash),
  )
}

const markOf = (source: HeldSource) =>
  source.dropId === undefined ? ` (link ${source.opaqueId})` : ` (drop ${source.dropId})`

/** In several transactions, so that no other write waits long. Returns how many changed. */
async function changeEach(
  store: Store,
  contents: readonly Sha256Hex[],
  change: (tx: WriteTx, ciphertextHash: Sha256Hex) => Promise<boolean>,
): Promise<number> {
  let changed = 0
  for (let at = 0; at < contents.length; at += MAX_OF_ONE_WRITE)
    changed += await store.write(['removal'], async (tx) => {
      let some = 0
      for (const content of contents.slice(at, at + MAX_OF_ONE_WRITE)) if (await change(tx, content)) some += 1
      return some
    })
  return changed
}
