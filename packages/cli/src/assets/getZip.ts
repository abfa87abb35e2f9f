/** `blindkeep get --zip`: files as one ZIP, written while they are read. */
import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { MAX_ZIP_FILES, type Zip, zipOf } from '@blindkeep/client/zip'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import type { Bytes } from '@blindkeep/protocol/bytes'
import type { SignedIn } from '../account/session.ts'
import { EXIT, type Exit, LocalError } from '../ground/exits.ts'
import { filesText, shown } from '../ground/texts.ts'
import { type Failure, failureOf } from '../outcomes/failures.ts'
import { createOutcomes, type Outcomes } from '../outcomes/outcomes.ts'
import { saveAs } from '../save/saveFile.ts'
import { toOutput } from '../save/toOutput.ts'
import { createProgress } from '../send/progress.ts'
import { titleOf } from './chosen.ts'
import { permitted } from './consent.ts'
import type { DescribedAsset } from './described.ts'

interface GetZip {
  /** - for standard output. */
  readonly path: string
  /** The person agreed that what is at the path may go. */
  readonly replace: boolean
  readonly signal: AbortSignal
}

/**
 * A file that cannot be opened is left out, and fails. One that breaks in the middle ends the ZIP: its readers could
 * not tell it from a whole one.
 */
export async function getZip(
  session: SignedIn,
  chosen: readonly DescribedAsset[],
  { path, replace, signal }: GetZip,
): Promise<Exit> {
  const { report } = session
  const outcomes = createOutcomes(report)
  const zip = await openZip(session, chosen, { outcomes, signal })
  const id = `zip-${createHash('sha256').update(resolve(path)).digest('hex').slice(0, 32)}`
  const notSaved = (error: unknown): Failure => {
    const failure = failureOf(signal.aborted ? signal.reason : error)
    return { ...failure, message: `${failure.message} Nothing is saved as ${path}.` }
  }
  const saving = { id, size: zip.size, content: async () => zip.content, replace }
  const failure = await (path === '-' ? toOutput(zip.content) : saveAs(path, saving).then(() => undefined, notSaved))
  report.end()
  if (failure !== undefined) outcomes.fail(zip.reading() ?? path, { path }, failure)
  else if (path !== '-') tellZip(session, zip, path)
  return failure?.exit === EXIT.interrupted ? failure.exit : outcomes.exit()
}

interface OpenedZip extends Pick<Zip, 'size'> {
  readonly content: ReadableStream<Bytes>
  /** Those that are in it by now, and what they are called there. */
  readonly files: () => readonly { readonly one: DescribedAsset; readonly entry: string | undefined }[]
  readonly written: () => number
  /** The file that is being read. */
  readonly reading: () => string | undefined
}

async function openZip(
  { owner, report }: SignedIn,
  chosen: readonly DescribedAsset[],
  { outcomes, signal }: { readonly outcomes: Outcomes; readonly signal: AbortSignal },
): Promise<OpenedZip> {
  if (chosen.length > MAX_ZIP_FILES)
    throw new LocalError(`A ZIP takes at most ${MAX_ZIP_FILES} files, and these are ${chosen.length}.`)
  const files = chosen.map((one, index) => ({ one, index, shownAs: titleOf(one), size: one.file?.size ?? 0 }))
  const progress = createProgress(files, report)
  const opened: (typeof files)[number][] = []
  let [written, before] = [0, 0]
  const open = async (file: (typeof files)[number]) => {
    const last = opened.at(-1)
    if (last !== undefined) progress.end(last)
    try {
      const answer = await owner.openAsset(file.one.asset, permitted(file.one, signal))
      opened.push(file)
      before = written
      return answer
    } catch (error) {
      signal.throwIfAborted()
      outcomes.fail(file.shownAs, { asset_id: file.one.asset.assetId }, failureOf(error))
      return undefined
    }
  }
  const zip = await zipOf(
    files.map((file) => {
      const { name, modifiedAt } = file.one.file ?? {}
      return { name, size: file.size, modifiedAt, open: () => open(file) }
    }),
  )
  const counting = new TransformStream<Uint8Array, Bytes>({
    transform(piece, controller) {
      written += piece.length
      const file = opened.at(-1)
      if (file !== undefined) progress.of(file)({ phase: 'saving', bytes: written - before, of: file.size })
      controller.enqueue(isOfFile(piece) ? piece : piece.slice())
    },
    flush() {
      if (opened.length === 0) throw new LocalError('None of the files can be opened.')
    },
  })
  return {
    size: zip.size,
    content: zip.content.pipeThrough(counting),
    files: () => opened.map(({ one, index }) => ({ one, entry: zip.paths[index] })),
    written: () => written,
    reading: () => opened.at(-1)?.shownAs,
  }
}

/** Its own pieces are small. It reads them again after it has given them, while a piece of a file goes once written. */
const OWN_BYTES = 4096

function isOfFile(piece: Uint8Array): piece is Bytes {
  return piece.length > OWN_BYTES && piece.buffer instanceof ArrayBuffer
}

function tellZip({ report }: SignedIn, { files, written }: OpenedZip, path: string): void {
  for (const { one, entry } of files()) report.fact(savedFact(one, path, entry))
  const count = files().length
  const text = `${filesText(count)} (${sizeText(written())}) ${count === 1 ? 'is' : 'are'} saved as ${shown(path)}.`
  report.result(text, { event: 'zipped', path, files: count, size: written() })
}

/** `entry`: what the file is called in a ZIP. */
export function savedFact({ asset, file, signerRevokedAt }: DescribedAsset, path: string, entry?: string) {
  return {
    event: 'saved',
    asset_id: asset.assetId,
    name: file?.name,
    path,
    entry,
    size: file?.size ?? 0,
    signer_revoked_at: signerRevokedAt,
  }
}
