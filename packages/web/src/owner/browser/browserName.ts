/** This browser's first name for its sign-in and signing key: "Firefox on Linux". Owners may change it. */
import { type Language, presentLanguage } from '../../common/language/language.ts'
import { accountTexts } from '../ground/texts.ts'

/** In this order: many browsers also name those that they descend from. */
const BROWSERS = [
  [/\bEdg(?:A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bVersion\/\S+ .*\bSafari\//, 'Safari'],
] as const

const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad|iPod)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const

export function browserName(userAgent = navigator.userAgent, language: Language = presentLanguage()): string {
  const text = accountTexts[language].client
  const find = (known: readonly (readonly [RegExp, string])[]) => known.find(([form]) => form.test(userAgent))?.[1]
  const [browser, system] = [find(BROWSERS) ?? text.browser, find(SYSTEMS)]
  return system === undefined ? browser : text.on(browser, system)
}
