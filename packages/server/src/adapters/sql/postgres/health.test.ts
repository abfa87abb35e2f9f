import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseError } from 'pg'
import { StorageFull } from '../../../ground/storageErrors.ts'
import { StorageUnavailable, StoreBroken } from '../../../ports/store.ts'
import { createPostgresHealth, Overtaken } from './health.ts'

/** An error as pg throws it, with a code of https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const errorWithCode = (code: string) => Object.assign(new DatabaseError('of PostgreSQL', 0, 'error'), { code })

describe("the judgement of PostgreSQL's failures", () => {
  it('recognizes that another transaction was in the way', () => {
    for (const code of ['40001', '40P01']) {
      assert.ok(createPostgresHealth().judge(errorWithCode(code)) instanceof Overtaken, code)
    }
  })

  it('treats a full disk, a stopped server, a held lock, a standby and a changed table as temporary', () => {
    for (const code of [
      '53100',
      '53200',
      '53300',
      '57014',
      '57P01',
      '57P02',
      '57P03',
      '08006',
      '55P03',
      '25P02',
      '25P03',
      '25006',
      '0A000',
    ]) {
      const health = createPostgresHealth()
      const judged = health.judge(errorWithCode(code))
      assert.ok(judged instanceof StorageUnavailable && !(judged instanceof Overtaken), code)
      assert.equal(judged instanceof StorageFull, code === '53100', code)
      health.check()
    }
  })

  it('treats a failed system call and corrupted data as final', () => {
    for (const code of ['58000', '58030', '58P01', 'XX001', 'XX002']) {
      assert.ok(createPostgresHealth().judge(errorWithCode(code)) instanceof StoreBroken, code)
    }
  })

  it('leaves errors of a statement unchanged', () => {
    for (const error of ['23505', '23503', '23514', '42601', 'XX000', '28P01'].map(errorWithCode)) {
      assert.equal(createPostgresHealth().judge(error), error)
    }
    const other = Object.assign(new Error('not of PostgreSQL'), { code: '53100' })
    assert.equal(createPostgresHealth().judge(other), other)
  })

  it('never recovers from the first final failure', () => {
    const health = createPostgresHealth()
    const broken = health.judge(errorWithCode('XX001'))
    assert.throws(
      () => health.check(),
      (error) => error === broken,
    )
    assert.equal(health.judge(errorWithCode('53100')), broken)
    assert.equal(health.judge(new Error('not of PostgreSQL')), broken)
  })
})
