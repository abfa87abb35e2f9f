import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Command, CommanderError, type Option } from 'commander'
import { createProgram } from './program.ts'

/** One of them is a value of each option. */
const VALUES = [
  '1',
  '7d',
  '2020-01-01',
  '1MB',
  '10%',
  'pdf',
  'Day:date',
  'Topic=Invoice',
  '{link}',
  'https://example.org',
  'never',
]

function aValueOf(option: Option): string {
  const value = option.argChoices?.[0] ?? VALUES.find((text) => isParsed(option, text))
  assert.ok(value !== undefined, `a value of ${option.flags} is missing here`)
  return value
}

function isParsed({ parseArg }: Option, text: string): boolean {
  try {
    parseArg?.(text, undefined)
    return true
  } catch {
    return false
  }
}

/** The error of a call with these words, or none. */
function errorOf(words: readonly string[]): string {
  const program = createProgram()
  const said: string[] = []
  const quiet = (command: Command) => {
    command.configureOutput({ writeErr: (text) => said.push(text), writeOut: () => undefined })
    // Only its options are read: nothing is done.
    command.action(() => undefined)
    for (const sub of command.commands) quiet(sub)
  }
  quiet(program)
  try {
    program.parse(words, { from: 'user' })
  } catch (error) {
    assert.ok(error instanceof CommanderError, String(error))
  }
  return said.join('')
}

function optionsOf(command: Command, path: readonly string[] = []): readonly (readonly [readonly string[], Option])[] {
  const own = command.options.filter(({ required, optional }) => required || optional)
  const subs = command.commands.flatMap((sub) => optionsOf(sub, [...path, sub.name()]))
  return [...own.map((option) => [path, option] as const), ...subs]
}

describe('the whole program', () => {
  it('refuses each option that is given twice, unless its help says that it may be repeated', () => {
    const options = optionsOf(createProgram())
    assert.ok(options.length > 80)
    for (const [path, option] of options) {
      const flag = option.long ?? option.flags
      const words = [...path, flag, aValueOf(option), flag, aValueOf(option)]
      const isRefused = errorOf(words).includes(`option '${option.flags}' is given twice`)
      assert.equal(isRefused, !option.description.includes('may be repeated'), words.join(' '))
    }
  })

  it('takes an empty value only where the option says what it means', () => {
    for (const [path, option] of optionsOf(createProgram())) {
      const said = errorOf([...path, option.long ?? option.flags, ''])
      if (option.parseArg === undefined) assert.match(said, /is given without a value/, option.flags)
      else assert.doesNotMatch(said, /is given without a value/)
    }
  })

  it('takes an option once', () => {
    for (const [path, option] of optionsOf(createProgram()))
      assert.doesNotMatch(errorOf([...path, option.long ?? option.flags, aValueOf(option)]), /given twice/)
  })
})
