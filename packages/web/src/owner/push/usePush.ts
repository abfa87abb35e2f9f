/** What the app of a signed-in owner does about messages to this browser. */
import { useEffect } from 'preact/hooks'
import type { Language } from '../../common/language.ts'
import { OPEN_INBOX } from '../../push/openInbox.ts'
import { goTo } from '../route.ts'
import { keepPushLanguage } from './browserPush.ts'

/** Keeps the language of the messages, and opens the inbox when one was clicked. */
export function usePush(baseUrl: string, language: Language): void {
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
