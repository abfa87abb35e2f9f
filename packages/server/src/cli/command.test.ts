import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseCall, UsageError } from './command.ts'
import { COMMANDS } from './commands.ts'

describe('the options of a command', () => {
  it('are taken once each, in every command', () => {
    for (const command of COMMANDS)
      for (const [name, { value }] of Object.entries({ ...command.options, data: { value: 'DIR' } })) {
        const once = value === 'flag' ? [`--${name}`] : [`--${name}=1`]
        const parse = (options: readonly string[]) => parseCall(command, [...(command.takes ?? []), ...options])
        assert.equal(parse(once).values[name], value === 'flag' ? true : '1')
        if (value !== 'flag')
          assert.throws(
            () => parse([...once, `--${name}`, '2']),
            (error) => error instanceof UsageError && error.message.startsWith(`Option '--${name}' is given twice. `),
          )
      }
  })
})
