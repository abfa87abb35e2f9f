/** `blindkeep verify`: whether the server holds what was signed. */
import type { AssetFacts } from '@blindkeep/client/owner'
import type { DoubtedAsset, HeldAsset, SignedOriginal } from '@blindkeep/client/verify'
import { countText } from '@blindkeep/protocol/counts'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { chosenAlbum, chosenAssets } from '../assets/chosen.ts'
import { accountAssets } from '../changes/feed.ts'
import { EXIT, type Exit, exitOf, UsageError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { filesText } from '../ground/texts.ts'
import { pin, pinsOf } from '../home/pins.ts'
import { failureOf } from '../outcomes/failures.ts'
import { createOutcomes, type Outcomes } from '../outcomes/outcomes.ts'
import { createSeenLog, type SeenLog } from '../receipts/seenLog.ts'
import { noteReceipts, type SeenReceipt, seenReceiptOf, seenReceipts } from '../receipts/seenReceipts.ts'
import { agreesToCost, planOf, type SampleFlags, sampleFiles } from './sample.ts'

interface VerifyFlags extends OwnerFlags, Omit<SampleFlags, 'yes'> {
  readonly deep?: boolean
  readonly album?: string
}

/** Of one question (`verifyHeld`). */
const MAX_ASSETS = 100
/** The server has to read them all before it answers, within 290 s. */
const MAX_DEEP_BYTES = 8 * 1024 ** 3

export async function verify(given: readonly string[], flags: VerifyFlags): Promise<Exit> {
  if (given.length > 0 && flags.album !== undefined) throw new UsageError('name files or an album, not both.')
  planOf(flags, [])
  const session = await signedIn(flags)
  const { report } = session
  return await interruptible(async (signal) => {
    const assets = await assetsOf(session, given, { flags, signal })
    const plan = planOf(flags, assets)
    if (plan !== undefined && !(await agreesToCost(plan, { assets, flags, report }))) return EXIT.failed
    const asked = await askHeld(session, assets, { flags, signal })
    const { originals, names, exit, ...counts } = asked
    const exits = [exit]
    if (plan !== undefined) exits.push(await sampleFiles(session, { plan, sure: flags.sure, originals, names, signal }))
    if (given.length === 0 && flags.album === undefined) exits.push(await tellInbox(session, signal))
    tellSummary({ ...counts, of: assets.length, deep: flags.deep === true }, session)
    return exitOf(exits.filter((one) => one !== EXIT.done))
  })
}

interface AskedHeld {
  readonly held: number
  /** Of these, signed by a device that was revoked since. */
  readonly marked: number
  readonly exit: Exit
  /** Of all files whose manifest holds. */
  readonly originals: readonly SignedOriginal[]
  readonly names: ReadonlyMap<AssetId, string | undefined>
}

/** Asks about each file, in batches, and tells what is in doubt. */
async function askHeld(
  { owner, profile, server, report }: SignedIn,
  assets: readonly AssetFacts[],
  { flags, signal }: Chosen,
): Promise<AskedHeld> {
  const { deep = false } = flags
  const serverId = new URL(server).origin
  const log = createSeenLog(await seenReceipts(profile.home, serverId))
  const outcomes = createOutcomes(report)
  const originals: SignedOriginal[] = []
  const names = new Map<AssetId, string | undefined>()
  let held = 0
  let marked = 0
  for (const batch of batchesOf(assets, deep)) {
    const { answers, keys } = await owner.verifyHeld({
      assetIds: batch.map(({ assetId }) => assetId),
      depth: deep ? 'deep' : 'structural',
      // The summary says which they are.
      allowRevokedDevice: true,
      pinned: await pinsOf(profile.home, serverId),
      onProgress: (ready) =>
        report.progress(() => [`${held + outcomes.failed().length + ready} of ${filesText(assets.length)} verified`]),
      onSigned: (original) => originals.push(original),
      signal,
    })
    if (keys !== undefined) await pin(profile.home, keys)
    const yes = answers.filter((answer) => answer.held)
    await noteReceipts(profile.home, serverId, newOf(yes, log))
    held += yes.length
    marked += yes.filter(({ signed }) => signed.deviceRevokedAt !== undefined).length
    for (const answer of answers) {
      names.set(answer.assetId, answer.file?.name)
      if (!answer.held) tellDoubts(answer, outcomes)
      else report.fact(factOf(answer))
    }
  }
  report.end()
  return { held, marked, originals, names, exit: outcomes.failed().length === 0 ? EXIT.done : outcomes.exit() }
}

interface Chosen {
  readonly flags: VerifyFlags
  readonly signal: AbortSignal
}

async function assetsOf(
  session: SignedIn,
  given: readonly string[],
  { flags, signal }: Chosen,
): Promise<readonly AssetFacts[]> {
  if (given.length > 0) return (await chosenAssets(session, given, { signal })).map(({ asset }) => asset)
  const all = await accountAssets(session, signal)
  if (flags.album === undefined) return all
  const { albumId } = chosenAlbum(await session.owner.albums(), flags.album)
  return all.filter((asset) => asset.albumId === albumId)
}

/** A deep question is about as much as a server can read in time, or about one file. */
function* batchesOf(assets: readonly AssetFacts[], deep: boolean): Generator<readonly AssetFacts[]> {
  let batch: AssetFacts[] = []
  let bytes = 0
  for (const asset of assets) {
    const size = asset.blobs.reduce((sum, blob) => sum + blob.size, 0)
    if (batch.length === MAX_ASSETS || (deep && batch.length > 0 && bytes + size > MAX_DEEP_BYTES)) {
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(asset)
    bytes += size
  }
  if (batch.length > 0) yield batch
}

/** Those that were not seen before. The audit judges them. */
function newOf(answers: readonly HeldAsset[], log: SeenLog): readonly SeenReceipt[] {
  const all = answers.flatMap(({ assetId, receipts }) =>
    receipts.receipts.map(({ signed }) => seenReceiptOf(signed, assetId)),
  )
  return all.filter((receipt) => log.isNew(receipt))
}

function tellDoubts({ assetId, file, doubts }: DoubtedAsset, outcomes: Outcomes): void {
  for (const { reason, message, cause } of doubts) {
    const exit = failureOf(cause).exit === EXIT.untrusted ? EXIT.untrusted : EXIT.failed
    const fact = { event: 'doubted', asset_id: assetId, name: file?.name }
    outcomes.fail(file?.name ?? assetId, fact, { reason, message, exit })
  }
}

function factOf({ assetId, file, examined, checkedAt, hashes, signed }: HeldAsset): object {
  const { original } = hashes
  return {
    event: 'held',
    asset_id: assetId,
    name: file.name,
    examined,
    checked_at: checkedAt,
    ciphertext_hash: original,
    signer_revoked_at: signed.deviceRevokedAt,
  }
}

/** The inbox is not verified: the account signs nothing of it. The answer has what the server says of it. */
async function tellInbox({ owner, report }: SignedIn, signal: AbortSignal): Promise<Exit> {
  const inbox = { files: 0, damaged: 0, held: 0 }
  for await (const page of owner.pendingDrops({ signal }))
    for (const { withheld } of page) {
      inbox.files += 1
      if (withheld !== undefined) inbox[withheld] += 1
    }
  const { files, damaged, held } = inbox
  if (files === 0) return EXIT.done
  const known =
    damaged + held === 0
      ? 'the server knows of no damage'
      : `${damaged} damaged at the server, ${held} withheld by its operator (blindkeep inbox list)`
  const text = `The inbox has ${filesText(files)}, which were not verified: ${known}.`
  if (damaged + held === 0) report.result(text, { event: 'inbox', ...inbox })
  else report.problem(text, { event: 'inbox', ...inbox })
  return damaged + held === 0 ? EXIT.done : EXIT.failed
}

interface Summary {
  readonly held: number
  /** Of these, signed by a device that was revoked since. */
  readonly marked: number
  readonly of: number
  readonly deep: boolean
}

function tellSummary({ held, marked, of, deep }: Summary, { report }: SignedIn): void {
  const doubted = of - held
  const how = deep ? 'every byte was read again' : 'sizes and records fit; --deep reads every byte again'
  const yes = `${held} of ${countText(of, 'file is', 'files are')} held (${how}).`
  report.result(doubted === 0 ? yes : `${yes} ${countText(doubted, 'is', 'are')} in doubt.`, {
    event: 'done',
    held,
    doubted,
    ...(marked > 0 && { signer_revoked: marked }),
    depth: deep ? 'deep' : 'structural',
  })
  if (marked > 0)
    report.aside(
      `${countText(marked, 'of them is', 'of them are')} signed by a device that was revoked: a person who has that device may have put another file in the place of yours. blindkeep ls marks them.`,
    )
}
