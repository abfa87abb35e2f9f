import { createCalls } from '@blindkeep/client/call'
import { Notice } from '../../common/controls/controls.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { movingTexts } from '../ground/texts.ts'
import { formerNameIn } from './serverNames.ts'

/** Above the sign-in, for some months after the server has moved here. */
export function FormerNameNotice({ baseUrl }: { readonly baseUrl: string }) {
  const text = useText(movingTexts).former
  const format = useText(formats)
  const { value: former } = useLoaded(async () => {
    const { body } = await createCalls({ baseUrl }).call('serverInfo')
    return formerNameIn(body, { baseUrl, nowMs: Date.now() })
  })
  if (former === undefined) return null
  return (
    <Notice tone="info">
      <p>{text.signIn(former.name, format.date(former.movedAt))}</p>
      {former.endsPasskeys && <p>{text.passkeys}</p>}
    </Notice>
  )
}
