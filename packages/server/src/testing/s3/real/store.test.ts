import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { describeObjects } from '../../../ports/objects.contract.ts'
import { describeStaging } from '../../../ports/staging.contract.ts'
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

    const openWorld = async () => {
      if (store === undefined) throw new Error('the store did not start')
      const { endpoint, bucket, region, credentials } = store
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
