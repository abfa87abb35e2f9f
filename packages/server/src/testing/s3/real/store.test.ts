import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { checkStore } from '../../../adapters/s3/check.ts'
import { describeObjects } from '../../../contracts/objects.ts'
import { describeStaging } from '../../../contracts/staging.ts'
import { openLine } from '../line.ts'
import { type RealStore, realStores } from '../realStore.ts'
import { openS3World } from '../world.ts'

const stores = realStores()
if (stores.length === 0)
  it('needs `minio`, or `ceph-mon ceph-mgr ceph-osd radosgw` as root, or S3_TEST_ENDPOINT', {
    skip: 'no S3 store here',
  })

for (const { name, start } of stores) {
  describe(name, () => {
    let store: RealStore | undefined
    before(async () => {
      store = await start()
    })
    after(async () => store?.stop())

    const started = (): RealStore => {
      if (store === undefined) throw new Error('the store did not start')
      return store
    }

    it('passes `store check`, and has nothing of it afterwards', async () => {
      const { endpoint, bucket, region, credentials } = started()
      const findings = await checkStore({
        address: { bucket, prefix: `${randomUUID()}/`, endpoint, region, pathStyle: true },
        credentials: { ...credentials, file: undefined },
        onFinding: ({ outcome, probe, said }) => console.log(outcome.padEnd(5), probe.padEnd(16), said),
      })
      assert.deepEqual(
        findings.filter(({ outcome }) => outcome === 'wrong'),
        [],
      )
    })

    const openWorld = async () => {
      const { endpoint, bucket, region, credentials } = started()
      const line = await openLine(endpoint)
      return openS3World({
        address: { bucket, prefix: `${randomUUID()}/`, endpoint: line.endpoint, region, pathStyle: true },
        credentials: { ...credentials, file: undefined },
        async leave() {
          line.cut()
          return async () => line.mend()
        },
        close: () => line.close(),
      })
    }
    describeStaging(`the S3 adapter over ${name}`, openWorld, { hasKeys: true })
    describeObjects(`the S3 adapter over ${name}`, openWorld, { hasKeys: true })
  })
}
