import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StorageUnavailable, StoreBroken } from '../../../ports/store.ts'
import { createHealth } from './health.ts'

/** An error as node:sqlite throws it, with an extended result code of https://www.sqlite.org/rescode.html. */
const errorWithCode = (errcode: number) => Object.assign(new Error('of SQLite'), { errcode })

describe("the judgement of SQLite's failures", () => {
  it('treats a full disk, a busy database and one that cannot be opened as temporary', () => {
    for (const code of [13, 5, 517, 14, 4874]) {
      const health = createHealth()
      assert.ok(health.judge(errorWithCode(code)) instanceof StorageUnavailable, String(code))
      health.check()
    }
  })

  it('treats a failed sync, any other failed system call and a corrupt or moved file as final', () => {
    for (const code of [1034, 10, 266, 778, 1290, 11, 267, 26, 1032]) {
      assert.ok(createHealth().judge(errorWithCode(code)) instanceof StoreBroken, String(code))
    }
  })

  it('leaves errors of a statement unchanged', () => {
    for (const error of [1, 8, 19, 2067].map(errorWithCode)) assert.equal(createHealth().judge(error), error)
    const other = new Error('not of SQLite')
    assert.equal(createHealth().judge(other), other)
  })

  it('never recovers from the first final failure', () => {
    const health = createHealth()
    const broken = health.judge(errorWithCode(1034))
    assert.throws(
      () => health.check(),
      (error) => error === broken,
    )
    assert.equal(health.judge(errorWithCode(13)), broken)
    assert.equal(health.judge(new Error('not of SQLite')), broken)
  })
})
