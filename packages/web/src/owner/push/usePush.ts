/** What the app of a signed-in owner does about messages to this browser. */

import type { Owner } from '@blindkeep/client/owner'
import { useEffect } from 'preact/hooks'
import { useReader, useText } from '../../common/language/reader.ts'
import { OPEN_INBOX } from '../../push/openInbox.ts'
import type { OwnerPages } from '../ground/ownerPages.ts'
import { goTo } from '../ground/route.ts'
import { accountTexts } from '../ground/texts.ts'
import { keepPushLanguage, presentPush } from './browserPush.ts'

interface PushParts extends Pick<OwnerPages, 'baseUrl' | 'showMessage'> {
  readonly owner: Owner
}

/** Keeps the language of the messages, says when none arrives any more, and opens the inbox when one was clicked. */
export function usePush({ owner, baseUrl, showMessage }: PushParts): void {
  const { language } = useReader()
  const text = useText(accountTexts).notify.push
  useEffect(() => {
    const say = () =>
      showMessage({ tone: 'bad', text: text.lostNotice, link: { href: '#/account', text: text.lostLink } })
    void presentPush({ owner, baseUrl }).then(
      (present) => present?.isLost === true && say(),
      () => undefined,
    )
  }, [owner, baseUrl])
  useEffect(() => {
    void keepPushLanguage({ baseUrl }, language).catch(() => undefined)
  }, [baseUrl, language])
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return
    const hear = ({ data }: MessageEvent<unknown>) => {
      if (data === OPEN_INBOX) goTo('inbox')
    }
    const { serviceWorker } = navigator
    serviceWorker.addEventListener('message', hear)
    serviceWorker.startMessages()
    return () => serviceWorker.removeEventListener('message', hear)
  }, [])
}
