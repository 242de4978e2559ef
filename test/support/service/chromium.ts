/** Debian's Chromium, as the tests of pages use it. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

/** @throws Error where it is not installed. */
export async function launchChromium(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(`These tests need ${executablePath}: apt-get install chromium`)
  }
  return chromium.launch({
    executablePath,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}
