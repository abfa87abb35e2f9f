import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { createSentAlarmsFile } from './sentAlarmsFile.ts'

it('of a damaged file, what is whole is known: a part of an entry must not silence its kind', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-alarms-'))
  const path = join(directory, 'alarms')
  const read = async (text: string) => {
    await writeFile(path, text)
    return Object.fromEntries(await createSentAlarmsFile(path).read())
  }
  try {
    const whole = { at: 5, isOver: false }
    assert.deepEqual(await read(JSON.stringify({ damaged: whole })), { damaged: whole })
    const parts = { held: { at: 5 }, cutoff: { at: '5', isOver: true }, suspected: null, not_ready: 7 }
    assert.deepEqual(await read(JSON.stringify({ ...parts, damaged: whole })), { damaged: whole })
    for (const text of ['', '{', 'null', '[]', '"x"', '7']) assert.deepEqual(await read(text), {})
  } finally {
    await rm(directory, { recursive: true })
  }
})
