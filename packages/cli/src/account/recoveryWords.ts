/** `account recovery-words`, `account confirm-words`: other recovery words, and the note that the owner has them. */
import { open, readFile, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { NetworkError, RecoveryError } from '@blindkeep/client/errors'
import { nodeEnvironment as environment } from '@blindkeep/client/node'
import type { Owner } from '@blindkeep/client/owner'
import { type NewRecoveryWords, newRecoveryWords } from '@blindkeep/client/recovery'
import { makeFolder } from '../ground/disk.ts'
import { EXIT, type Exit, LocalError, UsageError } from '../ground/exits.ts'
import type { Report } from '../ground/report.ts'
import { shown } from '../ground/texts.ts'
import { writePrivate } from '../home/files.ts'
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
  try {
    const text = (await stored(words, () => owner.changeRecoveryWords({ password, code, words }))).join(' ')
    await file?.write(`${text}\n`)
    report.aside(`${owner.email} has new recovery words. The former ones open nothing any more: destroy them.`)
    if (file === undefined) report.answer(text, {})
    const where = file === undefined ? '' : `They are in ${shown(file.path)}. `
    const fact = { event: 'recovery_words_changed', email: owner.email, recovery_words_file: file?.path }
    report.result(`${where}${CONFIRM}`, fact)
    return EXIT.done
  } catch (error) {
    await file?.removeEmpty()
    throw error
  }
}

/** The words once they open what the server stores. Says which are valid when it could not be heard. */
async function stored(words: NewRecoveryWords, change: () => Promise<void>): Promise<readonly string[]> {
  let lost: NetworkError | undefined
  try {
    await change()
  } catch (error) {
    if (!(error instanceof NetworkError)) throw error
    lost = error
  }
  try {
    return await words.confirm()
  } catch (cause) {
    if (lost !== undefined && cause instanceof RecoveryError)
      throw new LocalError('The connection broke, and nothing was changed: your former recovery words are valid.', {
        cause: lost,
      })
    throw new LocalError(
      'The connection broke. Your former recovery words are valid, or new ones that are shown nowhere. Check the former ones (blindkeep account confirm-words), or call this again.',
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

/** Made before the words are stored, so that a path that cannot be written costs nothing. */
export async function wordsFile(path: string | undefined) {
  if (path === undefined) return undefined
  const absolute = resolve(path)
  makeFolder(dirname(absolute))
  await (await open(absolute, 'wx', 0o600)).close()
  return {
    path: absolute,
    write: (text: string) => writePrivate(absolute, text),
    async removeEmpty() {
      // Not by its stated size: some mounts state 0 bytes of what they hold.
      if ((await readFile(absolute)).length === 0) await rm(absolute)
    },
  }
}
