/**
 * Every receipt that this user's command lines have seen of a server, a line each: number, hash, hash of the one
 * before, time, asset, and the name in it, if that is a former one. Not secret. Lines are only ever added, so that a
 * server cannot take back what it has signed.
 */
import { open, rm } from 'node:fs/promises'
import { withPath } from '@blindkeep/client/node'
import type { ChainLink } from '@blindkeep/protocol/chain'
import { type AssetId, parseAssetId, parseSha256Hex } from '@blindkeep/protocol/ids'
import type { DecodedReceipt } from '@blindkeep/protocol/receipt'
import { ifDiskHas, unlessMissing } from '../ground/disk.ts'
import { whileAlone } from '../home/claims.ts'
import { Damaged } from '../home/damaged.ts'
import { serverPath } from '../home/pins.ts'

/** Longer than a write takes on a busy disk. */
const WAIT_MS = 30_000
const NONE = '-'
const LINE_END = 10
/** A line has about 200 bytes. */
const TAIL_BYTES = 4096

export interface SeenReceipt extends ChainLink {
  /** The asset for which the server has listed it, if it was one. */
  readonly assetId: AssetId | undefined
}

export function seenReceiptOf({ hash, payload }: DecodedReceipt, assetId?: AssetId): SeenReceipt {
  const { server_id, receipt_seq, received_at, prior_receipt_hash } = payload
  return { hash, payload: { server_id, receipt_seq, received_at, prior_receipt_hash }, assetId }
}

/** In the order in which they were seen; some more than once. `serverId`: the origin of the server. */
export async function seenReceipts(home: string, serverId: string): Promise<readonly SeenReceipt[]> {
  const path = pathOf(home, serverId)
  const file = await open(path, 'r').catch(unlessMissing)
  if (file === undefined) return []
  const seen: SeenReceipt[] = []
  try {
    const whole = await wholeBytes(file)
    if (whole === 0) return []
    for await (const line of file.readLines({ start: 0, end: whole - 1, autoClose: false })) {
      const receipt = receiptOf(line, serverId)
      if (receipt === undefined)
        throw new Damaged(path, { says: 'which receipts the server has shown before', without: 'to begin again' })
      seen.push(receipt)
    }
  } finally {
    await file.close()
  }
  return seen
}

/** Adds lines, durably. After a kill or a power cut, some of them may be missing, the last ones first. */
export async function noteReceipts(home: string, serverId: string, receipts: readonly SeenReceipt[]): Promise<void> {
  if (receipts.length === 0) return
  const path = pathOf(home, serverId)
  await whileAlone({ home, path, doing: 'notes receipts of this server', waitMs: WAIT_MS }, async () => {
    const file = await open(path, 'a+', 0o600)
    await withPath(path, async () => {
      try {
        // Half a line that a power cut has left.
        await file.truncate(await wholeBytes(file))
        await file.appendFile(receipts.map((receipt) => lineOf(receipt, serverId)).join(''))
        await ifDiskHas(() => file.sync())
      } finally {
        await file.close()
      }
    })
  })
}

/** Forgets all that was seen of a server. */
export async function forgetReceipts(home: string, serverId: string): Promise<void> {
  const path = pathOf(home, serverId)
  await whileAlone({ home, path, doing: 'notes receipts of this server', waitMs: WAIT_MS }, () =>
    rm(path, { force: true }),
  )
}

/** Bytes up to the end of the last line that was written as a whole. */
async function wholeBytes(file: Awaited<ReturnType<typeof open>>): Promise<number> {
  const { size } = await file.stat()
  const from = Math.max(0, size - TAIL_BYTES)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(size - from), 0, size - from, from)
  const end = buffer.subarray(0, bytesRead).lastIndexOf(LINE_END)
  return end === -1 ? from : from + end + 1
}

/** A name that the server had before is at the end. */
function lineOf({ hash, payload, assetId }: SeenReceipt, serverId: string): string {
  const { receipt_seq: seq, prior_receipt_hash: prior = NONE, received_at: at, server_id: name } = payload
  const parts = [seq, hash, prior, at, assetId ?? NONE, ...(name === serverId ? [] : [name])]
  return `${parts.join(' ')}\n`
}

const LINE = /^(\d{1,16}) ([0-9a-f]{64}) ([0-9a-f]{64}|-) (\S{20,30}) (\S+)(?: (\S+))?$/

function receiptOf(line: string, serverId: string): SeenReceipt | undefined {
  const [, seq, hashText = '', priorText = '', received_at = '', asset = NONE, server_id = serverId] =
    LINE.exec(line) ?? []
  const hash = parseSha256Hex(hashText)
  if (hash === undefined) return undefined
  const assetId = asset === NONE ? undefined : parseAssetId(asset)
  const prior_receipt_hash = priorText === NONE ? undefined : parseSha256Hex(priorText)
  return { hash, payload: { server_id, receipt_seq: Number(seq), received_at, prior_receipt_hash }, assetId }
}

const pathOf = (home: string, serverId: string) => serverPath(home, serverId, 'receipts')
