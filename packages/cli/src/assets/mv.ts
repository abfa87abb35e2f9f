/** `blindkeep mv`: files into another album. The same line again goes on where it stopped. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Device } from '@blindkeep/client/device'
import { AssetMoveError, SendError } from '@blindkeep/client/errors'
import { type Album, type AssetMoveState, parseAssetMoveState } from '@blindkeep/client/owner'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { type AssetId, parseAssetId } from '@blindkeep/protocol/ids'
import { isObject } from '@blindkeep/protocol/json'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { losingText } from '../changes/losing.ts'
import { unlessMissing } from '../ground/disk.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { shortId, shown } from '../ground/texts.ts'
import { whileAlone } from '../home/claims.ts'
import { type Reading, unlessDamaged } from '../home/damaged.ts'
import { pinsOf } from '../home/pins.ts'
import { failureOf } from '../outcomes/failures.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { createProgress, type FileProgress } from '../send/progress.ts'
import { chosenAlbum, chosenAssets, isGone, titleOf } from './chosen.ts'
import { consents, SIGN_IT } from './consent.ts'
import type { DescribedAsset } from './described.ts'

interface MvFlags extends OwnerFlags {
  readonly album: string
}

const FOLDER = 'moves'
/** Each takes a small request. */
const AT_ONCE = 4
const NOTE: Reading<object> = {
  is: (json): json is object => isObject(json),
  says: 'how far a file was moved',
  without: 'to copy it again',
}

export async function mv(given: readonly string[], flags: MvFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { owner, report } = session
  const album = chosenAlbum(await owner.albums(), flags.album)
  return await interruptible(async (signal) => {
    // An earlier call may have left a copy there, under the same name.
    const isThere = ({ asset }: DescribedAsset) => asset.albumId === album.albumId
    const begun = await begunMoves(session, album)
    const chosen = await chosenAssets(session, await stillThere(session, given, begun), { signal, isLast: isThere })
    if (!(await consents(chosen, flags, SIGN_IT))) {
      report.problem('Nothing was moved.', { event: 'declined' })
      return EXIT.failed
    }
    const moving = chosen.map(({ asset }) => asset).filter(({ albumId }) => albumId !== album.albumId)
    const losing = await losingText(session, moving, signal)
    if (losing !== undefined) report.aside(losing)
    const device = await session.device()
    const outcomes = createOutcomes(report)
    const files = chosen.map((one) => ({ one, shownAs: titleOf(one), size: one.file?.size ?? 0 }))
    const progress = createProgress(files, report)
    const notes: string[] = []
    for (const file of files) {
      signal.throwIfAborted()
      const { assetId: shownId } = file.one.asset
      const [assetId = shownId] = begun.find(([, copyId]) => copyId === shownId) ?? []
      try {
        const moved = await moveOne(
          session,
          { ...file.one, assetId },
          { album, device, signal, onProgress: progress.of(file) },
        )
        notes.push(noteOf(session, assetId, album))
        const text = `${shown(file.shownAs)} is in the album ${shown(album.name ?? shortId(album.albumId))}.`
        report.result(text, { event: 'moved', asset_id: moved, from_asset_id: assetId, album_id: album.albumId })
      } catch (error) {
        if (!signal.aborted) outcomes.fail(file.shownAs, { asset_id: assetId }, failureOf(error))
      } finally {
        progress.end(file)
      }
    }
    report.end()
    // The same line again may name a moved file by the id that it had.
    if (notes.length === files.length) for (const note of notes) await session.profile.vault.remove(note)
    await followAlbums(session, signal)
    signal.throwIfAborted()
    return outcomes.exit()
  })
}

interface Moving {
  readonly album: Album
  readonly device: Device
  readonly signal: AbortSignal
  readonly onProgress: (progress: FileProgress) => void
}

/** Keeps a note of how far it is. */
async function moveOne(
  session: SignedIn,
  { assetId, signerRevokedAt }: Pick<DescribedAsset, 'signerRevokedAt'> & { readonly assetId: AssetId },
  { album, ...moving }: Moving,
): Promise<AssetId> {
  const { owner, profile, server } = session
  const { home, directory, vault } = profile
  const name = noteOf(session, assetId, album)
  const onState = (state: AssetMoveState) => vault.write(name, state)
  const move = async () =>
    await owner.moveAsset({
      ...moving,
      assetId,
      album: album.albumId,
      state: stateOf(await vault.read(name, NOTE).catch(unlessDamaged)),
      onState,
      pinned: await pinsOf(home, new URL(server).origin),
      allowRevokedDevice: signerRevokedAt !== undefined,
      onProgress: ({ phase, ...progress }) =>
        moving.onProgress({ ...progress, phase: phase === 'complete' ? 'finishing' : phase }),
    })
  const claim = { home, path: join(directory, `${name}.json`), doing: 'moves this file' }
  return await whileAlone(claim, async () => {
    try {
      return await move()
    } catch (error) {
      const isOver = error instanceof SendError && error.remedy === 'prepare_again'
      if (isOver || (error instanceof AssetMoveError && error.reason === 'changed')) await vault.remove(name)
      throw error
    }
  })
}

const noteOf = ({ recordsOf }: Pick<SignedIn, 'recordsOf'>, assetId: AssetId, { albumId }: Album) =>
  `${FOLDER}/${recordsOf}-${assetId}-${albumId}`

type BegunMove = readonly [assetId: AssetId, copyId: AssetId]

/** Moves to the album that a line of this profile has begun: perhaps nothing of it is left to do. */
async function begunMoves({ profile, recordsOf }: SignedIn, album: Album): Promise<readonly BegunMove[]> {
  const { directory, vault } = profile
  const [before, after] = [join(FOLDER, `${recordsOf}-`), `-${album.albumId}.json`]
  const found: BegunMove[] = []
  for (const file of (await readdir(join(directory, FOLDER), { recursive: true }).catch(unlessMissing)) ?? []) {
    const path = join(FOLDER, file)
    if (!path.startsWith(before) || !path.endsWith(after)) continue
    const assetId = parseAssetId(path.slice(before.length, -after.length))
    if (assetId === undefined) continue
    const state = stateOf(await vault.read(noteOf({ recordsOf }, assetId, album), NOTE).catch(unlessDamaged))
    if (state !== undefined) found.push([assetId, state.copy.envelope.file_id])
  }
  return found
}

/** The id of a file that an earlier call has deleted means its copy. */
async function stillThere(
  { owner }: SignedIn,
  given: readonly string[],
  begun: readonly BegunMove[],
): Promise<readonly string[]> {
  const copies = new Map<string, AssetId>(begun)
  return await mapConcurrently(given, AT_ONCE, async (text) => {
    const copyId = copies.get(text.toLowerCase())
    if (copyId === undefined) return text
    try {
      return (await owner.asset(text.toLowerCase())).assetId
    } catch (error) {
      if (isGone(error)) return copyId
      throw error
    }
  })
}

/** A note that cannot be read is as none: the file is copied again, under another id. */
function stateOf(note: object | undefined): AssetMoveState | undefined {
  try {
    return note && parseAssetMoveState(note)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
