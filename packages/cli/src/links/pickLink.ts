import type { Owner, OwnLink } from '@blindkeep/client/owner'
import { pick } from '../ground/pick.ts'

/** The one link of the account that an id, its beginning, or a label names. */
export async function pickLink(owner: Owner, given: string): Promise<OwnLink> {
  return pick(await owner.listLinks(), given, {
    what: 'link',
    listedBy: 'link list --all',
    id: ({ opaqueId }) => opaqueId,
    name: ({ label }) => label,
  })
}
