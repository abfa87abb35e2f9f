import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseS3Address } from './address.ts'

describe('the address of a bucket', () => {
  it('has a bucket, a prefix, and where it is', () => {
    const near = { bucket: 'box', prefix: '', endpoint: undefined, region: 'us-east-1', pathStyle: false }
    assert.deepEqual(parseS3Address('s3://box'), { value: near })
    assert.deepEqual(parseS3Address('s3://box/a/b'), { value: { ...near, prefix: 'a/b/' } })
    const far = parseS3Address('s3://box/a/?endpoint=http://127.0.0.1:9000&region=eu-1')
    const endpoint = 'http://127.0.0.1:9000'
    assert.deepEqual(far, { value: { bucket: 'box', prefix: 'a/', endpoint, region: 'eu-1', pathStyle: true } })
    const hosted = parseS3Address('s3://box?endpoint=https://s3.example&pathStyle=false')
    assert.ok('value' in hosted && !hosted.value.pathStyle)
  })

  it('is refused without repeating it, if it has a secret, an unknown parameter or a wrong form', () => {
    for (const text of [
      's3://key:secret@box/a',
      's3://box?secret=x',
      's3://box?endpoint=https://u:secret@host',
      's3://box?endpoint=https://host/secret',
      's3://box?endpoint=ftp://secret',
      's3://box?region=secret%20x',
      's3://box?pathStyle=secret',
      's3://box/secret%00',
      's3://box/a//secret',
      's3://box#secret',
      's3://SECRET_/',
      's3:secret',
      'https://secret',
      'secret',
    ]) {
      const parsed = parseS3Address(text)
      assert.ok('fault' in parsed, text)
      assert.ok(!/secret(?!_ACCESS)/.test(parsed.fault), parsed.fault)
    }
  })
})
