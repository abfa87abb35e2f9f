import { createInterface } from 'node:readline/promises'
import { shownLines } from '@blindkeep/protocol/terminalText'
import { type Call, UsageError } from './command.ts'

export const YES = { value: 'flag', meaning: 'Does not ask.' } as const

/**
 * Asks a person before what cannot be undone; `--yes` is the answer of a program. The person types `word`, so that no
 * answer to another question passes. Throws an error for people, and nothing is changed, unless they do. Without a
 * terminal, too, it says what would happen.
 */
export async function requireConsent(
  { flag, tell }: Pick<Call, 'flag' | 'tell'>,
  { lines, word }: { readonly lines: readonly string[]; readonly word: string },
): Promise<void> {
  if (flag('yes')) return
  if (!process.stdin.isTTY) {
    for (const line of lines) tell(line)
    throw new UsageError('it asks first, and there is no terminal to ask at: add --yes')
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const answer = await terminal.question(`${shownLines(lines.join('\n'))}\nType ${word} to go on: `)
    if (answer.trim() !== word) throw new Error('Nothing was changed.')
  } finally {
    terminal.close()
  }
}
