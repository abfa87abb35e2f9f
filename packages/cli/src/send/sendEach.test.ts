import assert from 'node:assert/strict'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { EXIT } from '../ground/exits.ts'
import { createReport, type Report } from '../ground/report.ts'
import { createOutcomes } from '../outcomes/outcomes.ts'
import { sendEach } from './sendEach.ts'
import { withFile } from './withFile.ts'

describe('sending several files', () => {
  it('says of one that goes on as it is read that it is still being written, and sends the others', async (t) => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-each-'))
    t.after(() => rm(directory, { recursive: true }))
    const at = (shownAs: string) => {
      const path = join(directory, shownAs)
      return { path, place: path, namedPlace: path, shownAs, name: shownAs, size: 0 }
    }
    const files = [at('endless'), at('whole')]
    await symlink('/dev/zero', join(directory, 'endless'))
    await writeFile(join(directory, 'whole'), 'content')

    const problems: string[] = []
    const report: Report = { ...createReport({ quiet: true }), problem: (text) => void problems.push(text) }
    const sent: string[] = []
    const signal = AbortSignal.timeout(100_000)
    const exit = await sendEach(files, { report, outcomes: createOutcomes(report), signal }, ({ place, shownAs }) =>
      withFile(place, signal, async () => {
        sent.push(shownAs)
        return { isFromBefore: false }
      }),
    )
    assert.deepEqual([exit, sent], [EXIT.failed, ['whole']])
    assert.deepEqual(problems, ['endless: The file is still being written. Send it again once it is complete.'])
  })
})
