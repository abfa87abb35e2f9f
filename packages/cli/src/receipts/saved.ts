/** Where receipts are saved. */
import { createHash } from 'node:crypto'
import { lstat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { safeName } from '@blindkeep/client/safeName'
import type { AssetId } from '@blindkeep/protocol/ids'
import type { AssetReceipt } from '@blindkeep/protocol/schemas/receipts'
import { codeOf, unlessMissing } from '../ground/disk.ts'
import { LocalError } from '../ground/exits.ts'
import { shortId } from '../ground/texts.ts'
import { readPrivate, writeNewPrivate, writePrivate } from '../home/files.ts'

export const RECEIPT_ENDING = '.blindkeep-receipt.json'
/** Of a receipt that has the key of its file. */
export const PROOF_ENDING = '.blindkeep-proof.json'
type Ending = typeof RECEIPT_ENDING | typeof PROOF_ENDING

export const endingOf = (name: string) => [RECEIPT_ENDING, PROOF_ENDING].find((ending) => name.endsWith(ending))

/** The receipts of what had no file of its own on this machine, and those that could not be saved beside it. */
export const receiptsOfHome = (home: string) => join(home, 'receipts')

/** A name that differs for files of one name from several folders. */
export function placedName(
  { path, name }: { readonly path: string; readonly name: string },
  ending: Ending = RECEIPT_ENDING,
): string {
  return receiptName(name, createHash('sha256').update(path).digest('hex').slice(0, 8), ending)
}

function receiptName(name: string, tag: string, ending: Ending = RECEIPT_ENDING): string {
  return `${beginningOf(safeName(basename(name)))}.${tag}${ending}`
}

/** The files whose receipt or proof may have this name. A number at the end is a second one's, or the file's. */
export function filesOfReceipt(name: string): readonly string[] {
  const stem = name.slice(0, -(endingOf(name) ?? '').length)
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

interface AssetReceiptsFile {
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
  for (const next of numbered(path, RECEIPT_ENDING))
    if (!(await isTakenByAnother(next, textOf(receipt)))) return await writtenReceipt(next, receipt)
  throw tooMany(path)
}

/** Saves a proof under the first name that is free, unless this very proof is there. SECRET. Returns its path. */
export async function addedProof(path: string, proof: object): Promise<string> {
  for (const next of numbered(path, PROOF_ENDING)) {
    if (await isTakenByAnother(next, textOf(proof))) continue
    try {
      await writeNewPrivate(next, textOf(proof))
      return next
    } catch (error) {
      // Another process was faster, and may have saved this very proof.
      if (codeOf(error) !== 'EEXIST') throw error
      if (!(await isTakenByAnother(next, textOf(proof)))) return next
    }
  }
  throw tooMany(path)
}

/** Where the proof about a file of the account is saved. */
export const assetProofPath = (folder: string, assetId: AssetId, name: string | undefined) =>
  join(folder, receiptName(name ?? assetId, shortId(assetId), PROOF_ENDING))

function* numbered(path: string, ending: Ending): Generator<string> {
  const stem = path.slice(0, -ending.length)
  yield path
  for (let number = 2; number <= MAX_RECEIPTS; number += 1) yield `${stem} (${number})${ending}`
}

function tooMany(path: string): LocalError {
  return new LocalError(`There are ${MAX_RECEIPTS} of this file already: ${path}. Move them elsewhere.`)
}

/** What is no file is another's: nothing is read from a pipe, and nothing is where a link leads to nothing. */
async function isTakenByAnother(path: string, text: string): Promise<boolean> {
  const there = await lstat(path).catch(unlessMissing)
  if (there === undefined) return false
  return !there.isFile() || (await readPrivate(path)) !== text
}

const textOf = (content: object) => JSON.stringify(content, undefined, 2)

export async function writtenReceipt(path: string, content: object): Promise<string> {
  await writePrivate(path, textOf(content))
  return path
}
