import { describeObjects } from '../../contracts/objects.ts'
import { describeStaging } from '../../contracts/staging.ts'
import { openDouble, openS3World } from '../../testing/s3/world.ts'

const openWorld = async () => openS3World(await openDouble())

describeStaging('the S3 adapter', openWorld, { hasKeys: true })
describeObjects('the S3 adapter', openWorld, { hasKeys: true })
