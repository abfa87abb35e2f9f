/** ntfy (https://docs.ntfy.sh/publish/): the message is the body, its title a header. */
import type { Message, Target } from '../../ports/messenger.ts'
import type { PostRequest } from './post.ts'
import { textOf } from './texts.ts'

export function ntfyRequest(
  { url, token }: Extract<Target, { readonly kind: 'ntfy' }>,
  message: Message,
  host: string,
): PostRequest {
  const { title, body } = textOf(message, host)
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    Title: title,
    ...(token !== undefined && { Authorization: `Bearer ${token}` }),
  }
  return { url: new URL(url), headers, body }
}
