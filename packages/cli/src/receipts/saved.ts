/** Where receipts are saved. */
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { safeName } from '@blindkeep/client/safeName'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { codeOf } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'
import { shortId } from '../ground/texts.ts'
import { readPrivate, writePrivate } from '../home/files.ts'

export const RECEIPT_ENDING = '.blindkeep-receipt.json'

/** The receipts of what had no file of its own on this machine, and those that could not be saved beside it. */
export const receiptsOfHome = (home: string) => join(home, 'receipts')

/** A name that differs for files of one name from several folders. */
export function placedName({ path, name }: { readonly path: string; readonly name: string }): string {
  return receiptName(name, createHash('sha256').update(path).digest('hex').slice(0, 8))
}

function receiptName(name: string, tag: string): string {
  return `${beginningOf(safeName(basename(name)))}.${tag}${RECEIPT_ENDING}`
}

/** The files whose receipt may have this name. A number at the end is a second receipt's, or the file's. */
export function filesOfReceipt(name: string): readonly string[] {
  const stem = name.slice(0, -RECEIPT_ENDING.length)
  return [stem, stem.replace(/ \(\d+\)$/, '')]
}

/** With what follows it, and what a file has that is being written, it is shorter than a name may be. */
const MAX_BEGINNING_BYTES = 100

function beginningOf(name: string): string {
  let beginning = ''
  for (const character of name) {
    if (Buffer.byteLength(beginning + character) > MAX_BEGINNING_BYTES) break
    beginning += character
  }
  return beginning
}

export interface AssetReceiptsFile {
  readonly folder: string
  readonly assetId: AssetId
  /** Of the file, if it is known. */
  readonly name: string | undefined
  readonly receipts: readonly AssetReceipt[]
}

/** Saves all receipts of an asset as one file, in the form of the server's answer. Returns its path. */
export async function saveAssetReceipts({ folder, assetId, name, receipts }: AssetReceiptsFile): Promise<string> {
  const path = join(folder, name === undefined ? `${assetId}${RECEIPT_ENDING}` : receiptName(name, shortId(assetId)))
  return await writtenReceipt(path, { asset_id: assetId, receipts })
}

/** Receipts of one file. */
const MAX_RECEIPTS = 10_000

/** Saves a guest's receipt beside earlier ones, as each proves something else. Returns its path. */
export async function addedReceipt(path: string, receipt: object): Promise<string> {
  const stem = path.slice(0, -RECEIPT_ENDING.length)
  for (let number = 1; number <= MAX_RECEIPTS; number += 1) {
    const next = number === 1 ? path : `${stem} (${number})${RECEIPT_ENDING}`
    if (!(await isTakenByAnother(next, textOf(receipt)))) return await writtenReceipt(next, receipt)
  }
  throw new LocalError(`There are ${MAX_RECEIPTS} receipts of this file already: ${path}. Move them elsewhere.`)
}

async function isTakenByAnother(path: string, text: string): Promise<boolean> {
  try {
    const there = await readPrivate(path)
    return there !== undefined && there !== text
  } catch (error) {
    if (codeOf(error) === 'EISDIR') return true
    throw error
  }
}

const textOf = (content: object) => JSON.stringify(content, undefined, 2)

export async function writtenReceipt(path: string, content: object): Promise<string> {
  await writePrivate(path, textOf(content))
  return path
}
