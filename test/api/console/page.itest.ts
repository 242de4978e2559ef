import { describe, expect, test } from 'vitest'
import { startTestApi } from '../test-api.js'

describe('/console', () => {
  test('a page that is not kept, and that reaches this service alone', async () => {
    const { url } = await startTestApi()
    const page = await fetch(`${url}/console`)
    expect(page.status).toBe(200)
    expect(page.headers.get('cache-control')).toBe('no-store')
    expect(page.headers.get('content-security-policy')).toBe(
      "default-src 'none';script-src 'self';style-src 'self';img-src 'self';connect-src 'self';" +
        "base-uri 'none';form-action 'none';frame-ancestors 'none'",
    )
    const html = await page.text()
    const files = [...html.matchAll(/(?:src|href)="(console\/[^"]+)"/g)].map(([, file]) => file)
    expect(files).toHaveLength(3)
    for (const file of files) {
      const { status, headers } = await fetch(`${url}/${file}`)
      expect([file, status]).toEqual([file, 200])
      const age =
        file === 'console/icon.svg' ? 'public, max-age=3600' : 'public, max-age=31536000, immutable'
      expect(headers.get('cache-control')).toBe(age)
    }
  })

  test('with a slash at its end it leads to itself, also below the path of a proxy', async () => {
    const { url } = await startTestApi()
    const { status, headers } = await fetch(`${url}/console/?a=1`, { redirect: 'manual' })
    expect([status, headers.get('location')]).toEqual([302, '../console'])
  })

  test.each(['nothing.js', 'index.html', '..%2f..%2fpackage.json', 'a/b.js'])(
    'no other file: %s',
    async (file) => {
      const { url } = await startTestApi()
      const answer = await fetch(`${url}/console/${file}`)
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ code: 'NOT_FOUND' })
    },
  )
})
