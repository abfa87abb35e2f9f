import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type S3Options, type S3Server, startS3, TEST_BUCKET } from '../../testing/s3/server.ts'
import { checkStore } from './check.ts'

async function check(options: S3Options, bucket = TEST_BUCKET, before: (s3: S3Server) => void = () => undefined) {
  const s3 = await startS3(options)
  try {
    before(s3)
    const address = { bucket, prefix: 'p/', endpoint: s3.endpoint, region: 'us-east-1', pathStyle: true }
    const credentials = { ...s3.credentials, file: undefined }
    const findings = await checkStore({ address, credentials, onFinding: () => undefined })
    const left = s3.store.buckets.get(TEST_BUCKET)
    return { findings, left: (left?.objects.size ?? 0) + (left?.uploads.size ?? 0) }
  } finally {
    await s3.close()
  }
}

describe('the check of an object store', () => {
  it('finds a strict store good, and leaves nothing behind', async () => {
    const { findings, left } = await check({})
    const told = findings.filter(({ outcome, probe }) => outcome !== 'good' && probe !== 'answers')
    assert.deepEqual(told, [])
    assert.equal(findings.length, 13)
    assert.equal(left, 0)
  })

  it('tells what a store does not do: hashes, versions kept, parts of different sizes, its clock', async () => {
    const now = () => Date.now() + 120_000
    const { findings, left } = await check({ checksHashes: false, isVersioned: true, evenParts: true, now })
    const told = findings.filter(({ outcome, probe }) => outcome !== 'good' && probe !== 'answers')
    const outcomes = told.map(({ probe, outcome }) => `${probe}: ${outcome}`)
    assert.deepEqual(outcomes, ['checks hashes: note', 'joins parts: wrong', 'versions: note', 'clock: wrong'])
    assert.equal(left, 0)
  })

  it('stops at a bucket that is not there or forbidden, with its reason and no secret', async () => {
    const [none] = (await check({}, 'another-bucket')).findings
    assert.deepEqual(
      [none?.outcome, none?.said],
      ['wrong', 'the object store failed to take an object: NoSuchBucket (404).'],
    )
    const { findings } = await check({}, TEST_BUCKET, (s3) => s3.meddle(() => 'forbidden'))
    assert.deepEqual(
      findings.map(({ said }) => said),
      ['the object store failed to take an object: AccessDenied (403).'],
    )
  })
})
