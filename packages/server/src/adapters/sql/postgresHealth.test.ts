import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { DatabaseError } from 'pg'
import { StorageUnavailable, StoreBroken } from '../../ports/store.ts'
import { createPostgresHealth, Overtaken } from './postgresHealth.ts'

/** An error as pg throws it, with a code of https://www.postgresql.org/docs/current/errcodes-appendix.html. */
const errorWithCode = (code: string) => Object.assign(new DatabaseError('of PostgreSQL', 0, 'error'), { code })

describe("judging PostgreSQL's failures", () => {
  it('knows when another transaction was faster', () => {
    for (const code of ['40001', '40P01']) {
      assert.ok(createPostgresHealth().judge(errorWithCode(code)) instanceof Overtaken, code)
    }
  })

  it('holds a full disk, a stopped server, a lock that is held and a changed table for passing', () => {
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
      '25P03',
      '0A000',
    ]) {
      const health = createPostgresHealth()
      const judged = health.judge(errorWithCode(code))
      assert.ok(judged instanceof StorageUnavailable && !(judged instanceof Overtaken), code)
      health.check()
    }
  })

  it('holds a failed call to the system and corrupted data for the end', () => {
    for (const code of ['58000', '58030', '58P01', 'XX001', 'XX002']) {
      assert.ok(createPostgresHealth().judge(errorWithCode(code)) instanceof StoreBroken, code)
    }
  })

  it('leaves alone what is nobody’s failure but the statement’s own', () => {
    for (const error of ['23505', '23503', '23514', '25006', '42601', 'XX000', '28P01'].map(errorWithCode)) {
      assert.equal(createPostgresHealth().judge(error), error)
    }
    const other = Object.assign(new Error('not of PostgreSQL'), { code: '53100' })
    assert.equal(createPostgresHealth().judge(other), other)
  })

  it('never recovers from the first that broke it', () => {
    const health = createPostgresHealth()
    const broken = health.breakWith('unknown', new Error('lost'))
    assert.throws(
      () => health.check(),
      (error) => error === broken,
    )
    assert.equal(health.judge(errorWithCode('53100')), broken)
    assert.equal(health.judge(new Error('not of PostgreSQL')), broken)
    assert.equal(health.breakWith('again', undefined), broken)
  })
})
