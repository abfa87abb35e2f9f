import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'

describe('the queries of the store', () => {
  it('name their columns, so that a column of a newer release changes none of them', () => {
    const names = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
    const sources = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    assert.ok(sources.length > 50)
    const starred = sources.filter((name) =>
      /\b(selectAll|returningAll)\b|\b(select|returning) \*/.test(
        readFileSync(join(import.meta.dirname, name), 'utf8'),
      ),
    )
    assert.deepEqual(starred, [])
  })
})
