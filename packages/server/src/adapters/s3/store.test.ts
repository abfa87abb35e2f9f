import { describeObjects } from '../../ports/objects.contract.ts'
import { describeStaging } from '../../ports/staging.contract.ts'
import { openDouble, openS3World } from '../../testing/s3/world.ts'

const openWorld = async () => openS3World(await openDouble())

describeStaging('the S3 adapter', openWorld, { hasKeys: true })
describeObjects('the S3 adapter', openWorld, { hasKeys: true })
