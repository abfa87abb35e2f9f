/** `blindkeep open`: the receiver's side of a share. */
import { createHash } from 'node:crypto'
import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { ShareError } from '@blindkeep/client/errors'
import { nodeEnvironment } from '@blindkeep/client/node'
import { newVisit, type OpenedShare, openShare, type SharedAsset } from '@blindkeep/client/share'
import { sizeText } from '@blindkeep/protocol/byteSizes'
import { EXPOSED, givenAddress, requireKind, secret } from '../ground/ask.ts'
import { makeFolder } from '../ground/disk.ts'
import { EXIT, type Exit, LocalError } from '../ground/exits.ts'
import { interruptible } from '../ground/interrupts.ts'
import { createReport, type Report, type ReportFlags } from '../ground/report.ts'
import { shrinking } from '../ground/table.ts'
import { filesText, shown, timeText } from '../ground/texts.ts'
import { whileAlone } from '../home/claims.ts'
import { homeDirectory } from '../home/files.ts'
import { refuseMoved } from '../home/pins.ts'
import { failureOf } from '../outcomes/failures.ts'
import { saveFile } from '../save/saveFile.ts'
import { createProgress } from '../send/progress.ts'

interface OpenFlags extends ReportFlags {
  readonly to?: string
  readonly only?: string
  readonly passphraseFile?: string
}

export async function openAddress(given: string, { to, only, passphraseFile, ...flags }: OpenFlags): Promise<Exit> {
  const report = createReport(flags)
  const address = await givenAddress(given, report, EXPOSED.share)
  requireKind(address, 'share')
  await refuseMoved(homeDirectory(), address)
  return await interruptible(async (signal) => {
    const { assets } = await openAsking(address, passphraseFile)
    const chosen = only === undefined ? assets : assets.filter(({ name }) => name === only)
    if (chosen.length === 0 && only !== undefined)
      throw new LocalError(`The share has no file ${only}. Call it without --only to see what it has.`)
    if (to !== undefined) return await saveAll({ address, assets: chosen, to, report, signal })
    list(chosen, report)
    return EXIT.done
  })
}

/** Whether a passphrase is needed is in the address. It is asked for only where there is a share. */
async function openAsking(address: string, file: string | undefined): Promise<OpenedShare> {
  const visit = newVisit()
  try {
    return await openShare(address, nodeEnvironment, { visit })
  } catch (error) {
    if (!(error instanceof ShareError && error.reason === 'passphrase_missing')) throw error
    const flag = '--passphrase-file'
    const passphrase = await secret({ what: 'Passphrase of the share', file, variable: 'BLINDKEEP_PASSPHRASE', flag })
    return await openShare(address, nodeEnvironment, { passphrase, visit })
  }
}

function list(assets: readonly SharedAsset[], report: Report): void {
  const rows = assets.map(({ name, type, size, modifiedAt }) => ({
    cells: [
      sizeText(size),
      modifiedAt === undefined ? '' : timeText(modifiedAt),
      shown(type ?? ''),
      shown(name ?? 'without a name'),
    ],
    fact: { name, type, size, modified_at: modifiedAt },
  }))
  report.list(['SIZE', 'MODIFIED', shrinking('TYPE'), shrinking('NAME')], rows, 'The share has no file now.')
  if (rows.length === 0) return
  report.aside('Names, types and times are as the owner of the share says. Save the files: --to FOLDER')
}

interface SaveAll {
  readonly address: string
  readonly assets: readonly SharedAsset[]
  readonly to: string
  readonly report: Report
  readonly signal: AbortSignal
}

/** One after another, so that equal names get their numbers in the owner's order. */
async function saveAll({ address, assets, to, report, signal }: SaveAll): Promise<Exit> {
  makeFolder(to)
  const folder = await realpath(to)
  const home = homeDirectory()
  // Both of two processes would write the same parts.
  const id = idOf(`${address}\n${folder}`)
  const claim = { home, path: join(home, 'opening', id), doing: 'saves this share into this folder' }
  const failed: Exit[] = []
  let saved = 0
  const files = assets.map((asset) => ({ asset, size: asset.size, shownAs: asset.name ?? 'without a name' }))
  const progress = createProgress(files, report)
  await whileAlone(claim, async () => {
    for (const [index, file] of files.entries()) {
      if (signal.aborted) break
      const onBytes = (bytes: number) => progress.of(file)({ phase: 'saving', bytes, of: file.size })
      try {
        const { name, size, modifiedAt, open } = file.asset
        const content = () => open({ signal })
        const path = await saveFile({ folder, name, id: `${id}-${index}`, size, modifiedAt, content, onBytes })
        saved += 1
        report.result(`Saved ${shown(path)}`, { event: 'saved', name, path, size })
      } catch (error) {
        if (!signal.aborted) failed.push(tell(file.shownAs, error, report))
      } finally {
        progress.end(file)
      }
    }
  })
  return conclude({ saved, failed, of: assets.length, report, signal })
}

function idOf(what: string): string {
  return createHash('sha256').update(what).digest('hex').slice(0, 32)
}

function tell(name: string, error: unknown, report: Report): Exit {
  const { message, reason, exit } = failureOf(error)
  report.problem(`${shown(name)}: ${shown(message)}`, { event: 'failed', name, reason, message })
  return exit
}

interface Conclusion extends Pick<SaveAll, 'report' | 'signal'> {
  readonly saved: number
  readonly failed: readonly Exit[]
  readonly of: number
}

function conclude({ saved, failed, of, report, signal }: Conclusion): Exit {
  report.end()
  const fact = { saved, failed: failed.length }
  if (signal.aborted) {
    report.problem(`Stopped: ${saved} of ${filesText(of)} are saved.`, { event: 'stopped', ...fact })
    return EXIT.interrupted
  }
  report.result(`${saved} of ${filesText(of)} ${saved === 1 ? 'is' : 'are'} saved.`, { event: 'done', ...fact })
  if (failed.length === 0) return EXIT.done
  return failed.includes(EXIT.untrusted) ? EXIT.untrusted : EXIT.failed
}
