/**
 * Whether the server holds what devices of the account have signed: for many assets at once, without the local files. A
 * yes is as well founded as one of `verifyBeforeDestroying`, but it says nothing about a local file and so not whether
 * that may be destroyed.
 */
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import type { AssetId, Sha256Hex } from '@blindkeep/protocol/ids'
import { AssetError } from '../assets/assetError.ts'
import { type AssetFacts, blobOf, readAsset } from '../assets/assetFacts.ts'
import type { AssetPorts } from '../assets/assetPorts.ts'
import { BUNDLE_ROLES, type BundleRole } from '../assets/bundleRoles.ts'
import { describeWith } from '../assets/describeAsset.ts'
import {
  hashesOf,
  type ReadSignedAsset,
  readSignedAsset,
  type SignedAsset,
  signedFacts,
  toVerify,
} from '../assets/signedAsset.ts'
import { type Signed, type SignedVouchedAsset, signedOf } from '../assets/vouchedAsset.ts'
import { ProblemError } from '../http/errors.ts'
import { descriptionOf, type FileDescription } from '../seal/fileHeader.ts'
import { SealError } from '../seal/sealError.ts'
import { type CheckedAssetReceipts, listReceipts, openAudit, type ReceiptAudit } from './assetReceipts.ts'
import { type Doubt, doubtOf } from './doubt.ts'
import type { PinnedKeys } from './pinnedKeys.ts'
import { type SignedOriginal, signedOriginalOf } from './population.ts'
import { hasChanged, MAX_ASKED } from './unchangedAsset.ts'
import { type Depth, type Examination, examinationOf, verdictDoubts } from './verdictDoubts.ts'
import { type AssetToVerify, type AssetVerdict, verifyStorage } from './verifyStorage.ts'

/** Each takes some small requests and some milliseconds for signatures. */
const ASSETS_AT_ONCE = 6

export interface VerifyHeld {
  /** 1 to 100, each once. */
  readonly assetIds: readonly AssetId[]
  /** `deep` by default. The server must then be able to read all the bytes within 290 s. */
  readonly depth?: Depth | undefined
  /** Attestation keys that were pinned before for this server. */
  readonly pinned?: PinnedKeys | undefined
  /** Called with the number of assets that are ready for the verdict, which comes last for all of them. */
  readonly onProgress?: ((ready: number) => void) | undefined
  /** Also assets of devices revoked since (`signed.deviceRevokedAt`), otherwise doubted (`device_revoked`). */
  readonly allowRevokedDevice?: boolean | undefined
  /** Called at the end for each asset whose manifest holds, whatever else is in doubt: for `sampleSegments`. */
  readonly onSigned?: ((original: SignedOriginal) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface HeldAsset {
  readonly assetId: AssetId
  readonly held: true
  readonly file: FileDescription
  readonly examined: Examination
  /** RFC 3339, by the server's clock. */
  readonly checkedAt: string
  /** What was signed and is durable; lowercase hex. */
  readonly hashes: Readonly<Record<BundleRole, Sha256Hex>>
  readonly signed: Signed
  readonly receipts: CheckedAssetReceipts
}

export interface DoubtedAsset {
  readonly assetId: AssetId
  readonly held: false
  /** Name and type, if they can be read and were signed. */
  readonly file: FileDescription | undefined
  /** At least one. If the server did not return a part intact, its verdict about that part comes after it. */
  readonly doubts: readonly Doubt[]
  /** The server's verdict, if it was asked for; its blobs are in the order of `BUNDLE_ROLES`. */
  readonly verdict: AssetVerdict | undefined
}

export type HeldAnswer = HeldAsset | DoubtedAsset

export interface HeldAnswers {
  /** One for each asset, in the order of the question. */
  readonly answers: readonly HeldAnswer[]
  /** The keys to pin from now on; undefined when the audit of the server failed. */
  readonly keys: PinnedKeys | undefined
}

/**
 * One answer for each asset. An asset is held only if: a live device of the account signed its manifest; its name and
 * the header of its file open under the account's key; there are receipts of this server for exactly these hashes and
 * sizes; and the server vouches for exactly these hashes now. A failure of the server, or data that do not fit
 * together, are doubts; an asset that has changed meanwhile is asked about again, as in `askUnchanged`. Throws a fault
 * of this program or of the local disk, and the signal's reason when it aborts.
 */
export async function verifyHeld(ports: AssetPorts, question: VerifyHeld): Promise<HeldAnswers> {
  const { assetIds, pinned, onSigned, signal } = question
  const opened = await orDoubt(signal, () => openAudit(ports, pinned))
  if ('doubt' in opened)
    return { answers: assetIds.map((assetId) => doubted(assetId, [opened.doubt])), keys: undefined }
  const audit = opened.value
  const last = new Map<AssetId, Asked>()
  let now = question
  for (let asked = 1; asked <= MAX_ASKED && now.assetIds.length > 0; asked++) {
    const answers = await ask(ports, audit, now)
    for (const one of answers) last.set(one.answer.assetId, one)
    const changed = await mapConcurrently(answers, ASSETS_AT_ONCE, async ({ answer, asset }) => {
      if (answer.held || asset === undefined || answer.doubts.some(({ reason }) => reason === 'unreachable')) return []
      return (await hasChanged(ports.call, asset, signal)) ? [answer.assetId] : []
    })
    now = { ...question, assetIds: changed.flat(), onProgress: undefined }
  }
  for (const { original } of last.values()) if (original !== undefined) onSigned?.(original)
  return { answers: [...last.values()].map(({ answer }) => answer), keys: audit.keys() }
}

interface Asked {
  readonly answer: HeldAnswer
  /** What the answer is about, if the server describes it. */
  readonly asset: AssetFacts | undefined
  /** If its manifest holds. */
  readonly original: SignedOriginal | undefined
}

/** One answer for each asset, in order. `audit` compares all receipts of the batch with each other. */
async function ask(ports: AssetPorts, audit: ReceiptAudit, question: VerifyHeld): Promise<readonly Asked[]> {
  const { assetIds, onProgress, allowRevokedDevice, signal } = question
  const batch = batchPorts(ports)
  let ready = 0
  const prepared = await mapConcurrently(assetIds, ASSETS_AT_ONCE, async (assetId) => {
    const one = await prepare(batch, { assetId, audit, allowRevokedDevice, signal })
    onProgress?.(++ready)
    return one
  })
  return await judged(ports, prepared, question)
}

/** Reads the devices once for each batch. */
function batchPorts(ports: AssetPorts): AssetPorts {
  let devices: ReturnType<AssetPorts['devices']> | undefined
  return {
    ...ports,
    devices: () => {
      devices ??= ports.devices()
      return devices
    },
  }
}

interface Ready {
  readonly signedAsset: SignedAsset
  readonly receipts: CheckedAssetReceipts
}

interface Doubted {
  readonly answer: DoubtedAsset
  /** The server does not return a part of it, or returns other bytes: the verdict about it shows why. */
  readonly isUnfit: boolean
}

type Prepared = Omit<Asked, 'answer'> & ({ readonly ready: Ready } | Doubted)

interface Preparing extends Pick<ReadSignedAsset, 'allowRevokedDevice' | 'signal'> {
  readonly assetId: AssetId
  readonly audit: ReceiptAudit
}

/** Everything except the verdict. */
async function prepare(ports: AssetPorts, { assetId, audit, ...options }: Preparing): Promise<Prepared> {
  const { signal } = options
  const found = await orDoubt(signal, () => readAsset(ports.call, assetId, signal))
  if ('doubt' in found)
    return { answer: doubted(assetId, [found.doubt]), isUnfit: false, asset: undefined, original: undefined }
  const asset = found.value
  let original: SignedOriginal | undefined
  const onVouched = (vouched: SignedVouchedAsset) => {
    original = signedOriginalOf(vouched)
  }
  const read = await orDoubt(signal, () => readSignedAsset(ports, asset, { ...options, onVouched }))
  if ('doubt' in read) {
    const file = await orDoubt(signal, () => describeWith(ports, asset, options))
    const answer = doubted(assetId, [read.doubt], 'value' in file ? file.value : undefined)
    return { answer, isUnfit: isUnfit(read.doubt), asset, original }
  }
  const signedAsset = read.value
  const checked = await orDoubt(signal, async () => {
    const listed = await listReceipts(ports, assetId, signal)
    return audit.check(signedFacts(signedAsset), listed, { signal })
  })
  if ('value' in checked) return { ready: { signedAsset, receipts: checked.value }, asset, original }
  return {
    answer: doubted(assetId, [checked.doubt], descriptionOf(signedAsset.header)),
    isUnfit: false,
    asset,
    original,
  }
}

function isUnfit({ cause }: Doubt): boolean {
  if (cause instanceof AssetError) return cause.reason === 'hash_differs'
  return cause instanceof ProblemError || cause instanceof SealError
}

/** Asks for one verdict on all open questions, last, so that it is not older than everything else. */
async function judged(
  { call }: AssetPorts,
  prepared: readonly Prepared[],
  { depth = 'deep', signal }: VerifyHeld,
): Promise<readonly Asked[]> {
  const questions = prepared.map(questionOf)
  const asked = questions.filter((question) => question !== undefined)
  const verdicts = await orDoubt(signal, async () =>
    asked.length === 0 ? [] : verifyStorage(call, asked, { deep: depth !== 'structural', signal }),
  )
  let next = 0
  const answerTo = (one: Prepared, question: AssetToVerify | undefined): HeldAnswer => {
    if (question === undefined && 'answer' in one) return one.answer
    const verdict = 'value' in verdicts ? verdicts.value[next++] : undefined
    if ('answer' in one) return explained(one.answer, verdict, depth)
    if ('value' in verdicts) return answerOf(one.ready, verdict, depth)
    const { asset, header } = one.ready.signedAsset
    return doubted(asset.assetId, [verdicts.doubt], descriptionOf(header))
  }
  return prepared.map((one, index) => ({ ...one, answer: answerTo(one, questions[index]) }))
}

function questionOf(one: Prepared): AssetToVerify | undefined {
  if ('ready' in one) return toVerify(one.ready.signedAsset)
  const { asset, isUnfit } = one
  if (asset === undefined || !isUnfit) return undefined
  const hashes = BUNDLE_ROLES.flatMap((role) => blobOf(asset, role)?.hash ?? [])
  return hashes.length === BUNDLE_ROLES.length ? { assetId: asset.assetId, hashes } : undefined
}

/** The first doubt stays, whatever the verdict says: it is about hashes that were not compared with signed ones. */
function explained(answer: DoubtedAsset, verdict: AssetVerdict | undefined, depth: Depth): DoubtedAsset {
  if (verdict === undefined) return answer
  return { ...answer, doubts: [...answer.doubts, ...verdictDoubts(verdict, depth)], verdict }
}

function answerOf({ signedAsset, receipts }: Ready, verdict: AssetVerdict | undefined, depth: Depth): HeldAnswer {
  const { asset, header, bundle, provenance } = signedAsset
  const doubts = verdictDoubts(verdict, depth)
  const file = descriptionOf(header)
  if (verdict === undefined || doubts.length > 0) return { ...doubted(asset.assetId, doubts, file), verdict }
  return {
    assetId: asset.assetId,
    held: true,
    file,
    examined: examinationOf(verdict),
    checkedAt: verdict.checkedAt,
    hashes: hashesOf(bundle),
    signed: signedOf(provenance),
    receipts,
  }
}

function doubted(assetId: AssetId, doubts: readonly Doubt[], file?: FileDescription): DoubtedAsset {
  return { assetId, held: false, file, doubts, verdict: undefined }
}

/** Turns a failure into a doubt. Throws on the caller's abort and on a fault of this program. */
async function orDoubt<Value>(
  signal: AbortSignal | undefined,
  work: () => Promise<Value>,
): Promise<{ readonly value: Value } | { readonly doubt: Doubt }> {
  try {
    return { value: await work() }
  } catch (error) {
    const found = signal?.aborted === true ? undefined : doubtOf(error)
    if (found === undefined) throw error
    return { doubt: found }
  }
}
