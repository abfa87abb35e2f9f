/** After the last kill: finishes sessions and adoptions, then compares all that was acknowledged. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { checkChain } from '@blindkeep/protocol/chain'
import { decodeReceipt } from '@blindkeep/protocol/receipt'
import { jsonOf, pause } from './api.ts'
import { finishAndCheckAssets } from './assets/finalChecks.ts'
import type { OwnerAssetsPorts } from './assets/ownerAssetsLoad.ts'
import { fetchReceipt, type GuestPorts, settle } from './guest.ts'
import { type Attempt, describeAttempt, type Owner } from './ledger.ts'
import { compareContent, readInbox } from './owner.ts'
import { prefixesIn } from './plainFiles.ts'
import type { Random } from './random.ts'

const MAX_SWEEP_MS = 60_000

/** For a stopped load. Finishes or cancels abandoned sessions, and checks everything over HTTP. */
export async function finishAndCheck(ports: OwnerAssetsPorts, owners: readonly Owner[], random: Random): Promise<void> {
  const { ledger, pool } = ports
  for (const attempt of pool.abandoned.splice(0)) await settle(ports, attempt, random.fork(attempt.name))
  for (const owner of owners) {
    const keptBytes = await finishAndCheckAssets(ports, owner)
    const drops = await readInbox(ports, owner)
    for (const entry of drops) await compareContent(ports, owner, entry)
    await judgeUse(
      ports,
      owner,
      drops.reduce((sum, { size }) => sum + size, keptBytes),
    )
    await judgeLinks(ports, owner)
  }
  await judgeReceipts(ports)
  const stuck = ledger.attempts.filter((attempt) => !attempt.isClosed && attempt.landed !== 'acknowledged')
  for (const attempt of stuck) ledger.fault(`neither landed nor ended: ${describeAttempt(attempt)}`)
}

/** All receipts of guests and owners, including those of deleted assets: together they are the server’s whole log. */
async function judgeReceipts(ports: GuestPorts): Promise<void> {
  const { ledger } = ports
  const landed = ledger.attempts.filter((attempt) => attempt.landed === 'acknowledged')
  for (const attempt of landed) await fetchReceipt(ports, attempt)
  const texts = [
    ...landed.flatMap(({ receiptCbor }: Attempt) => (receiptCbor === undefined ? [] : [receiptCbor])),
    ...ledger.assets.flatMap(({ receipts }) => [...receipts]),
  ]
  const receipts = [...new Set(texts)]
    .map((text) => decodeReceipt(fromBase64(text)))
    .sort((one, other) => one.payload.receipt_seq - other.payload.receipt_seq)
  const broken = checkChain(receipts, { whole: true })
  if (broken !== undefined) ledger.fault(`the chain of fetched receipts breaks: ${JSON.stringify(broken)}`)
  const [first] = receipts
  if (first !== undefined && (first.payload.receipt_seq !== 1 || first.payload.prior_receipt_hash !== undefined))
    ledger.fault('the first receipt is not the first of its log')
}

/** Without open sessions, use is the sum of the inbox, the assets and the bin. */
async function judgeUse({ api, ledger }: GuestPorts, { token }: Owner, heldBytes: number): Promise<void> {
  const reply = await api.askUntilAnswered({ method: 'GET', path: '/v1/quota', token })
  const { used, bin = 0 } = jsonOf<{ used: number; bin?: number }>(reply)
  if (used !== heldBytes + bin) ledger.fault(`${used} bytes used, ${heldBytes} in inbox and assets, ${bin} in the bin`)
}

interface LinkEntry {
  readonly opaque_id: string
  readonly open_sessions: number
  readonly open_bytes: number
  readonly landed_files: number
  readonly landed_bytes: number
}

async function judgeLinks({ api, ledger }: GuestPorts, owner: Owner): Promise<void> {
  const reply = await api.askUntilAnswered({ method: 'GET', path: '/v1/drops/links', token: owner.token })
  const entries = new Map(jsonOf<{ links: LinkEntry[] }>(reply).links.map((entry) => [entry.opaque_id, entry]))
  for (const link of ledger.links.filter((each) => each.owner === owner)) {
    const landed = link.attempts.filter((attempt) => attempt.landed === 'acknowledged')
    const expected = {
      open_sessions: 0,
      open_bytes: 0,
      landed_files: landed.length,
      landed_bytes: landed.reduce((sum, { size }) => sum + size, 0),
    }
    const entry = entries.get(link.opaqueId)
    const isAsExpected =
      entry?.open_sessions === 0 &&
      entry.open_bytes === 0 &&
      entry.landed_files === expected.landed_files &&
      entry.landed_bytes === expected.landed_bytes
    if (!isAsExpected) ledger.fault(`a link is ${JSON.stringify(entry)}, expected ${JSON.stringify(expected)}`)
    if (link.singleUse && landed.length > 1) ledger.fault('a single-use link has landed twice')
  }
}

/** Until the sweeper leaves `kept` objects. False after more than a minute. */
export async function untilSwept(countObjects: () => Promise<number>, kept: number): Promise<boolean> {
  const giveUpAt = Date.now() + MAX_SWEEP_MS
  while ((await countObjects()) !== kept) {
    if (Date.now() > giveUpAt) return false
    await pause(100)
  }
  return true
}

export async function countFiles(dataDirectory: string): Promise<number> {
  const directory = join(dataDirectory, 'blobs')
  const names = await Promise.all((await prefixesIn(directory)).map((prefix) => readdir(join(directory, prefix))))
  return names.flat().length
}
