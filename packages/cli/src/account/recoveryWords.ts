/** `account recovery-words`, `account confirm-words`: other recovery words, and the note that the owner has them. */
import { open, readFile, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { mayBeDone, RecoveryError } from '@blindkeep/client/errors'
import { nodeEnvironment as environment, withPath } from '@blindkeep/client/node'
import type { Owner } from '@blindkeep/client/owner'
import { type NewRecoveryWords, newRecoveryWords } from '@blindkeep/client/recovery'
import { ifDiskHas } from '../ground/disk.ts'
import { EXIT, type Exit, LocalError, UsageError } from '../ground/exits.ts'
import type { Report } from '../ground/report.ts'
import { shown } from '../ground/texts.ts'
import { writeNewPrivate } from '../home/files.ts'
import type { OwnerFlags } from './profile.ts'
import { askCode, askPassword, askWords, type SecretFlags } from './secrets.ts'
import { signedIn } from './session.ts'

interface WordsFlags extends OwnerFlags, Pick<SecretFlags, 'passwordFile' | 'codeFile'> {
  readonly wordsTo?: string
}

const CONFIRM = 'Once you have them on paper: blindkeep account confirm-words'

export async function changeRecoveryWords(flags: WordsFlags): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  if (flags.wordsTo === undefined && (flags.json === true || process.stdout.isTTY !== true))
    throw new UsageError('Recovery words are printed on a terminal alone. Have them written to a new file: --words-to')
  const { hasSecondFactor } = await owner.account()
  const password = await askPassword(flags)
  const code = hasSecondFactor ? await askCode(flags) : undefined
  const file = await wordsFile(flags.wordsTo)
  const words = newRecoveryWords(environment)
  let isChanged = false
  try {
    const text = (await stored(words, () => owner.changeRecoveryWords({ password, code, words }))).join(' ')
    isChanged = true
    await file?.write(`${text}\n`)
    report.aside(`${owner.email} has new recovery words. The former ones open nothing any more: destroy them.`)
    if (file === undefined) report.answer(text, {})
    const where = file === undefined ? '' : `They are in ${shown(file.path)}. `
    const fact = { event: 'recovery_words_changed', email: owner.email, recovery_words_file: file?.path }
    report.result(`${where}${CONFIRM}`, fact)
    return EXIT.done
  } catch (error) {
    if (isChanged)
      tellOutcome(report, {
        is: 'words_not_kept',
        message: 'Your former recovery words open nothing any more, and the new ones were not kept. Call this again.',
      })
    await file?.removeEmpty()
    throw error
  }
}

interface Outcome {
  readonly is: 'account_exists' | 'password_set' | 'password_unsure' | 'words_not_kept'
  readonly message: string
}

/** What has become of the account, beside why the call failed. */
export function tellOutcome(report: Pick<Report, 'problem'>, { is, message }: Outcome): void {
  report.problem(message, { event: 'outcome', outcome: is, message })
}

/** The words once they open what the server stores. Says which are valid when it could not be heard. */
async function stored(words: NewRecoveryWords, change: () => Promise<void>): Promise<readonly string[]> {
  let lost: unknown
  try {
    await change()
  } catch (error) {
    if (!mayBeDone(error)) throw error
    lost = error
  }
  try {
    return await words.confirm()
  } catch (cause) {
    if (lost !== undefined && cause instanceof RecoveryError)
      throw new LocalError(
        'The answer was lost. Your former recovery words are valid, unless the request is still on its way: then new ones that are shown nowhere replace them. Check yours in five minutes: blindkeep account confirm-words',
        { cause: lost },
      )
    throw new LocalError(
      'The answer was lost. Your former recovery words are valid, or new ones that are shown nowhere. Check the former ones (blindkeep account confirm-words), or call this again.',
      { cause },
    )
  }
}

export async function confirmRecoveryWords(flags: OwnerFlags & Pick<SecretFlags, 'wordsFile'>): Promise<Exit> {
  const { owner, report } = await signedIn(flags)
  const words = await askWords(flags)
  await owner.confirmRecoveryWords(words)
  report.result(`These words open the account of ${owner.email}. Keep them safe.`, {
    event: 'recovery_words_confirmed',
    email: owner.email,
  })
  return EXIT.done
}

/** A reminder, until the owner has proved the words. No reason for a command to fail. */
export async function remindOfWords(owner: Owner, report: Report): Promise<void> {
  const account = await owner.account().catch(() => undefined)
  if (account?.recoveryWords === 'unconfirmed') tellUnconfirmed(report)
}

export function tellUnconfirmed(report: Report): void {
  report.aside(
    'The recovery words of this account are not confirmed. If you have them: blindkeep account confirm-words. If not, make new ones: blindkeep account recovery-words',
  )
}

/** As long as 24 words and the end of their line. */
const ROOM = ' '.repeat(216)

/**
 * Made before the words are stored, with room for them: a path that cannot be written, or a full disk, costs nothing.
 */
export async function wordsFile(path: string | undefined) {
  if (path === undefined) return undefined
  const absolute = resolve(path)
  await writeNewPrivate(absolute, ROOM)
  return {
    path: absolute,
    /** Into the room that it has: another file in its place would need new. */
    write: (text: string) =>
      withPath(absolute, async () => {
        const file = await open(absolute, 'r+')
        try {
          await file.write(text, 0)
          await file.truncate(Buffer.byteLength(text))
          await ifDiskHas(() => file.sync())
        } finally {
          await file.close()
        }
      }),
    async removeEmpty() {
      const text = await readFile(absolute, 'utf8').catch(() => '')
      if (text.trim() === '') await rm(absolute, { force: true }).catch(() => undefined)
    },
  }
}
