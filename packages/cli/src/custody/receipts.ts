/** `blindkeep receipts`: what the server has signed about the files of the account. */
import type { AssetFacts } from '@blindkeep/client/owner'
import { erasOf, type PinnedKeys } from '@blindkeep/client/receipts'
import type { ListedReceipts } from '@blindkeep/client/verify'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { mapConcurrently } from '@blindkeep/protocol/concurrency'
import { countText } from '@blindkeep/protocol/counts'
import type { Era } from '@blindkeep/protocol/eras'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import type { OwnerFlags } from '../account/profile.ts'
import { type SignedIn, signedIn } from '../account/session.ts'
import { chosenAssets } from '../assets/chosen.ts'
import { accountAssets } from '../changes/feed.ts'
import type { Exit } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import type { Row } from '../ground/report.ts'
import { shortId, timeText } from '../ground/texts.ts'
import { lastFollowed, pin, pinsOf } from '../home/pins.ts'
import { failureOf } from '../outcomes/failures.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { saveAssetReceipts } from '../receipts/saved.ts'
import { createSeenLog } from '../receipts/seenLog.ts'
import { noteReceipts, seenReceiptOf, seenReceipts } from '../receipts/seenReceipts.ts'
import { saveProofs } from './proofs.ts'

interface ReceiptsFlags extends OwnerFlags {
  readonly check?: boolean
  readonly to?: string
  readonly proof?: boolean
}

const AT_ONCE = 6

export async function receipts(given: readonly string[], flags: ReceiptsFlags): Promise<Exit> {
  const { check = false, to: folder, proof = false } = flags
  if (proof) return await saveProofs(given, flags)
  const session = await signedIn(flags)
  const { owner, report } = session
  return await interruptible(async (signal) => {
    const assets =
      given.length > 0
        ? (await chosenAssets(session, given, { signal })).map(({ asset }) => asset)
        : await accountAssets(session, signal)
    const checking = check ? await beginChecking(session, signal) : undefined
    const outcomes = createOutcomes(report)
    const rows = await mapConcurrently(assets, AT_ONCE, async (asset): Promise<readonly RowFacts[]> => {
      const { assetId } = asset
      const found = await checking?.check(asset)
      if (found?.is === 'deleted') return []
      if (found?.is === 'refused') outcomes.fail(assetId, { asset_id: assetId }, failureOf(found.error))
      const listed = found?.listed ?? (await owner.listReceipts(assetId, signal))
      const path =
        folder === undefined
          ? undefined
          : await saveAssetReceipts({ folder, assetId, name: undefined, receipts: listed })
      const checked = check ? found?.is === 'checked' : undefined
      return listed.map((receipt) => ({ receipt, assetId, checked, path }))
    })
    await checking?.end()
    const facts = rows.flat()
    const names = await namesIn(facts, { session, keys: checking?.keys() })
    const shownRows = facts.map((fact) => rowOf(fact, names))
    report.list(['RECEIPT', 'RECEIVED', 'ROLE', 'SEALED', 'FILE'], shownRows, 'There are no receipts.')
    if (check && facts.length > 0) report.aside(checkedText(facts))
    const eras = checking && (await erasOf(checking.keys()))
    for (const text of formerTexts(names, { session, eras })) report.aside(text)
    return outcomes.exit()
  })
}

async function beginChecking({ owner, profile, server }: SignedIn, signal: AbortSignal) {
  const serverId = new URL(server).origin
  const audit = await owner.openAudit(await pinsOf(profile.home, serverId))
  const log = createSeenLog(await seenReceipts(profile.home, serverId))
  return {
    async check(asset: AssetFacts): Promise<ListedReceipts> {
      const found = await audit.checkListed(asset, { signal })
      if (found.is !== 'checked') return found
      const seen = found.checked.receipts.map(({ signed }) => seenReceiptOf(signed, asset.assetId))
      await noteReceipts(
        profile.home,
        serverId,
        seen.filter((receipt) => log.isNew(receipt)),
      )
      return found
    },
    keys: audit.keys,
    end: () => pin(profile.home, audit.keys()),
  }
}

interface RowFacts {
  readonly receipt: AssetReceipt
  readonly assetId: string
  /** Undefined if it was not asked for. */
  readonly checked: boolean | undefined
  readonly path: string | undefined
}

function checkedText(facts: readonly RowFacts[]): string {
  const holding = facts.filter(({ checked }) => checked === true).length
  return holding === facts.length
    ? `${countText(holding, 'receipt was checked, and holds', 'receipts were checked, and all hold')}.`
    : `${holding} of ${countText(facts.length, 'receipt', 'receipts')} hold. Those of a file that failed do not count.`
}

interface FormerName {
  /** Of receipts that were checked, and hold. */
  readonly count: number
  /** This machine has known the server by that name, and followed it. */
  readonly isKnown: boolean
}

type FormerNames = ReadonlyMap<string, FormerName>

interface Known {
  readonly session: SignedIn
  /** Undefined if the receipts were not checked. */
  readonly keys: PinnedKeys | undefined
}

/** The names in receipts that are not that of the server now. */
async function namesIn(facts: readonly RowFacts[], { session, keys }: Known): Promise<FormerNames> {
  const { home } = session.profile
  const serverId = new URL(session.server).origin
  const names = new Map<string, FormerName>()
  for (const { receipt, checked } of facts) {
    const name = receipt.server_id
    if (name === serverId) continue
    const { count, isKnown } = names.get(name) ?? { count: 0, isKnown: await wasFollowed(home, name, keys) }
    names.set(name, { count: checked === true ? count + 1 : count, isKnown })
  }
  return names
}

/** Whether it is the server with these keys that was followed from that name to where it is now. */
async function wasFollowed(home: string, name: string, keys: PinnedKeys | undefined): Promise<boolean> {
  const left = URL.canParse(name) ? await pinsOf(home, name) : undefined
  if (keys === undefined || left === undefined) return false
  const isHere = new URL(await lastFollowed(home, name)).origin === keys.serverId
  return isHere && left.keys.every(({ keyId }, index) => keys.keys[index]?.keyId === keyId)
}

interface FormerTexts {
  readonly session: SignedIn
  /** Undefined if the receipts were not checked. */
  readonly eras: readonly Era[] | undefined
}

/** Whose receipts those of a former name are: never more than what is known here. */
function formerTexts(names: FormerNames, { session, eras = [] }: FormerTexts): readonly string[] {
  const now = new URL(session.server).origin
  return [...names].flatMap(([name, { count, isKnown }]) => {
    const until = eras.findLast(({ serverId }) => serverId === name)?.until
    if (until === undefined || count === 0) return []
    const receipts = countText(count, 'receipt is', 'receipts are')
    return isKnown
      ? [`${receipts} of ${name}, which this machine has known and followed to ${now}.`]
      : [
          `${receipts} signed by a key that ${now} lists as its own; it says that it was ${name} until ${timeText(until)}.`,
        ]
  })
}

function rowOf({ receipt, assetId, checked, path }: RowFacts, names: FormerNames): Row {
  const former = names.get(receipt.server_id)
  const isKnown = former?.isKnown === true && checked === true
  const { receipt_seq, blob_role, size, received_at, ciphertext_hash, server_key_id } = receipt
  return {
    cells: [String(receipt_seq), timeText(received_at), blob_role, sizeText(size), shortId(assetId)],
    fact: {
      asset_id: assetId,
      receipt_seq,
      blob_role,
      size,
      ciphertext_hash,
      received_at,
      server_key_id,
      checked,
      receipt_file: path,
      former_server_id: isKnown ? receipt.server_id : undefined,
      claimed_former_server_id: former && !isKnown ? receipt.server_id : undefined,
    },
  }
}
