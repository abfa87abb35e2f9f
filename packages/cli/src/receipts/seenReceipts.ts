/**
 * Every receipt that this user's command lines have seen of a server, a line each: number, hash, hash of the one
 * before, time, asset, and the name in it, if that is a former one. Not secret. Lines are only ever added, so that a
 * server cannot take back what it has signed.
 */
import { rm } from 'node:fs/promises'
import type { ChainLink } from '@blindkeep/protocol/chain'
import { type AssetId, parseAssetId, parseSha256Hex } from '@blindkeep/protocol/ids'
import type { DecodedReceipt } from '@blindkeep/protocol/receipt'
import { whileAlone } from '../home/claims.ts'
import { Damaged } from '../home/damaged.ts'
import { appendLines, linesOf } from '../home/lines.ts'
import { serverPath } from '../home/pins.ts'

/** Longer than a write takes on a busy disk. */
const WAIT_MS = 30_000
const NONE = '-'
const DOING = 'notes receipts of this server'

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
  const seen: SeenReceipt[] = []
  for await (const line of linesOf(path)) {
    const receipt = receiptOf(line, serverId)
    if (receipt === undefined)
      throw new Damaged(path, { says: 'which receipts the server has shown before', without: 'to begin again' })
    seen.push(receipt)
  }
  return seen
}

/** Adds lines, durably. After a kill or a power cut, some of them may be missing, the last ones first. */
export async function noteReceipts(home: string, serverId: string, receipts: readonly SeenReceipt[]): Promise<void> {
  const lines = receipts.map((receipt) => lineOf(receipt, serverId))
  await appendLines({ home, path: pathOf(home, serverId), doing: DOING }, lines)
}

/** Forgets all that was seen of a server. */
export async function forgetReceipts(home: string, serverId: string): Promise<void> {
  const path = pathOf(home, serverId)
  await whileAlone({ home, path, doing: DOING, waitMs: WAIT_MS }, () => rm(path, { force: true }))
}

/** A name that the server had before is at the end. */
function lineOf({ hash, payload, assetId }: SeenReceipt, serverId: string): string {
  const { receipt_seq: seq, prior_receipt_hash: prior = NONE, received_at: at, server_id: name } = payload
  const parts = [seq, hash, prior, at, assetId ?? NONE, ...(name === serverId ? [] : [name])]
  return parts.join(' ')
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
