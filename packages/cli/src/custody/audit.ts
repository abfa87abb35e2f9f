/** `blindkeep audit`: all that the server has ever signed for this account and this machine, against itself. */
import { AuditError } from '@blindkeep/client/errors'
import type { AssetFacts } from '@blindkeep/client/owner'
import { nameChangesOf } from '@blindkeep/client/receipts'
import type { ReceiptAudit } from '@blindkeep/client/verify'
import { forEachConcurrently } from '@blindkeep/protocol/concurrency'
import { countText } from '@blindkeep/protocol/counts'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { accountAssets } from '../changes/feed.ts'
import { EXIT, type Exit } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { filesText } from '../ground/texts.ts'
import { pin, pinsOf } from '../home/pins.ts'
import { createOutcomes, type Outcomes } from '../outcomes/outcomes.ts'
import { savedReceipts } from '../receipts/savedReceipts.ts'
import { type Contradiction, createSeenLog, type SeenLog } from '../receipts/seenLog.ts'
import { noteReceipts, type SeenReceipt, seenReceiptOf, seenReceipts } from '../receipts/seenReceipts.ts'
import { type Finding, saveEvidence } from './evidence.ts'

const AT_ONCE = 6
/** Lines that are written at once. */
const NOTED_AT_ONCE = 1000
/** Findings whose receipts are kept: a few prove as much as thousands, and a server must not fill the memory. */
const MAX_WITH_RECEIPTS = 100

export async function audit(flags: OwnerFlags): Promise<Exit> {
  const session = await signedIn(flags)
  const { profile, report } = session
  return await interruptible(async (signal) => {
    const auditing = await begin(session, signal)
    try {
      await auditSaved(auditing)
      await auditAssets(auditing)
    } finally {
      await auditing.flush()
    }
    const { audit: receipts, findings, outcomes } = auditing
    for (const fork of auditing.log.forks(nameChangesOf(receipts.keys()))) find(auditing, fork, { receipts: [] })
    report.end()
    const evidence = findings.length === 0 ? undefined : await saveEvidence(profile, findings, receipts.keys())
    tellFindings(findings, evidence, outcomes)
    // Only now: it throws when another process has seen what contradicts these keys.
    await pin(profile.home, receipts.keys())
    tellSummary(auditing, evidence)
    return outcomes.exit()
  })
}

interface Auditing {
  readonly session: SignedIn
  readonly audit: ReceiptAudit
  readonly log: SeenLog
  readonly seenBefore: number
  readonly findings: Finding[]
  readonly outcomes: Outcomes
  readonly counts: { assets: number; receipts: number; saved: number }
  readonly signal: AbortSignal
  /** Remembers receipts; many are written together. */
  note(receipts: readonly SeenReceipt[]): Promise<void>
  /** Writes what was noted. */
  flush(): Promise<void>
}

async function begin(session: SignedIn, signal: AbortSignal): Promise<Auditing> {
  const { owner, profile, server, report } = session
  const serverId = new URL(server).origin
  const opened = await owner.openAudit(await pinsOf(profile.home, serverId))
  await pin(profile.home, opened.keys())
  const before = await seenReceipts(profile.home, serverId)
  const log = createSeenLog(before)
  let unwritten: SeenReceipt[] = []
  const flush = async () => {
    const lines = unwritten
    unwritten = []
    await noteReceipts(profile.home, serverId, lines)
  }
  const auditing: Auditing = {
    session,
    audit: opened,
    log,
    seenBefore: before.length,
    findings: [],
    outcomes: createOutcomes(report),
    counts: { assets: 0, receipts: 0, saved: 0 },
    signal,
    flush,
    async note(receipts) {
      unwritten.push(...receipts)
      if (unwritten.length >= NOTED_AT_ONCE) await flush()
    },
  }
  for (const contradiction of log.found) find(auditing, contradiction, { receipts: [] })
  return auditing
}

/** Those that `drop` and `upload` have saved here, if they are of this server. */
async function auditSaved(auditing: Auditing): Promise<void> {
  const { session, audit: receipts, outcomes, counts } = auditing
  for await (const saved of savedReceipts(session.profile)) {
    const { path } = saved
    if ('fault' in saved) {
      outcomes.fail(path, { path }, { reason: 'saved_receipt_damaged', message: saved.fault, exit: EXIT.failed })
      continue
    }
    const names = new Set([receipts.serverId, ...nameChangesOf(receipts.keys()).map(({ from }) => from)])
    for (const receipt of saved.receipts.filter(({ server_id }) => names.has(server_id)))
      try {
        const seen = seenReceiptOf(await receipts.checkKept(receipt), saved.assetId)
        await judge(auditing, [seen], [receipt])
        counts.saved += 1
      } catch (error) {
        if (!(error instanceof AuditError)) throw error
        tellUnheld(auditing, error, { path, receipt })
      }
  }
}

/** It held when it was saved: a fork, and what the server denies, is the server's doing; a missing key may be. */
function tellUnheld(
  auditing: Auditing,
  { reason, message }: AuditError,
  { path, receipt }: { readonly path: string; readonly receipt: AssetReceipt },
): void {
  const { outcomes } = auditing
  const place = `${path}, receipt ${receipt.receipt_seq}`
  if (reason === 'chain_forked' || reason === 'outside_era')
    keep(auditing, { reason, message: `${place}: ${message}`, assetId: undefined, seen: [], receipts: [receipt] })
  else if (reason === 'unknown_key')
    outcomes.fail(place, { path }, { reason: 'saved_receipt_unknown_key', message: KEY_GONE, exit: EXIT.failed })
  else
    outcomes.fail(
      place,
      { path },
      {
        reason: 'saved_receipt_damaged',
        message: `It does not hold any more. The file was changed or damaged here: restore it from a backup. (${message})`,
        exit: EXIT.failed,
      },
    )
}

const KEY_GONE =
  'It cannot be checked: the server does not publish its key. Either its operator restored it from a backup that is older than this key, or the file was changed or damaged here. Keep it, and ask the operator.'

async function auditAssets(auditing: Auditing): Promise<void> {
  const { session, signal } = auditing
  const assets = await accountAssets(session, signal)
  await forEachConcurrently(assets, AT_ONCE, async (asset) => {
    await auditAsset(auditing, asset)
    session.report.progress(() => [`${auditing.counts.assets} of ${filesText(assets.length)} audited`])
  })
}

async function auditAsset(auditing: Auditing, asset: AssetFacts): Promise<void> {
  const { audit: receipts, log, counts, signal } = auditing
  const { assetId } = asset
  const found = await receipts.checkListed(asset, { signal })
  if (found.is === 'deleted') return
  counts.assets += 1
  if (found.is === 'refused') {
    const { reason, message } = found.error
    keep(auditing, { reason, message, assetId, seen: [], receipts: found.listed })
    return
  }
  const seen = found.checked.receipts.map(({ signed }) => seenReceiptOf(signed, assetId))
  for (const gone of log.vanished(assetId, seen)) find(auditing, gone, { assetId, receipts: found.listed })
  await judge(auditing, seen, found.listed)
  counts.receipts += seen.length
}

/** Compares receipts that hold with all that were seen, and remembers them. */
async function judge(
  auditing: Auditing,
  seen: readonly SeenReceipt[],
  receipts: readonly AssetReceipt[],
): Promise<void> {
  const { log, note } = auditing
  const fresh = seen.filter((receipt) => log.isNew(receipt))
  for (const receipt of fresh)
    for (const contradiction of log.add(receipt)) find(auditing, contradiction, { assetId: receipt.assetId, receipts })
  await note(fresh)
}

interface Context {
  readonly assetId?: string | undefined
  /** As they were answered or saved. */
  readonly receipts: readonly AssetReceipt[]
}

function find(auditing: Auditing, { reason, message, seen }: Contradiction, { assetId, receipts }: Context): void {
  const about = assetId ?? seen.find((one) => one.assetId !== undefined)?.assetId
  keep(auditing, { reason, message, assetId: about, seen, receipts })
}

function keep({ findings }: Auditing, finding: Finding): void {
  findings.push(findings.length < MAX_WITH_RECEIPTS ? finding : { ...finding, receipts: [] })
}

function tellFindings(findings: readonly Finding[], evidence: string | undefined, outcomes: Outcomes): void {
  for (const { reason, message, assetId, seen } of findings) {
    const fact = {
      event: 'contradiction',
      asset_id: assetId,
      receipt_seqs: seen.map(({ payload }) => payload.receipt_seq),
      evidence,
    }
    outcomes.fail(assetId ?? 'The receipts', fact, { reason, message, exit: EXIT.untrusted })
  }
}

function tellSummary({ session, counts, seenBefore, findings }: Auditing, evidence: string | undefined): void {
  const { report, server } = session
  const { assets, receipts, saved } = counts
  const fact = {
    event: 'done',
    assets,
    receipts,
    saved_receipts: saved,
    seen_before: seenBefore,
    contradictions: findings.length,
    evidence,
  }
  if (evidence === undefined) {
    const texts = [
      `${countText(receipts, 'receipt')} of ${filesText(assets)}`,
      countText(saved, 'saved one'),
      countText(seenBefore, 'that was seen before', 'that were seen before'),
    ]
    report.result(`The server’s log holds: ${texts.join(', ')}.`, fact)
    return
  }
  report.problem(
    `${server} contradicts what it has signed. Either its operator restored it from an older state, or it lies. Keep ${evidence} and all saved receipts: they prove it to others. Keep other copies of your files, delete none because of this server, and ask its operator.`,
    fact,
  )
}
