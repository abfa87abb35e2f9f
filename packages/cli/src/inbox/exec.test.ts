import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { it } from 'node:test'
import { UsageError } from '../ground/exits.ts'
import { requireProgram } from './exec.ts'

it('a program that is not there is refused before the first file', {
  skip: process.platform === 'win32' && 'Windows finds programs by more than their names',
}, async () => {
  for (const program of ['node', process.execPath]) await requireProgram(program)
  for (const none of ['no-such-program', tmpdir(), '/dev/null', './node'])
    await assert.rejects(requireProgram(none), UsageError)
})
