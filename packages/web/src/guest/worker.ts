import { fetchReceipt } from '@blindkeep/client/audit'
import { openLink } from '@blindkeep/client/guest'
import { send } from '@blindkeep/client/send'

self.onmessage = async (event) => {
  const link = await openLink(event.data)
  console.log(link.limits, send, fetchReceipt)
}
