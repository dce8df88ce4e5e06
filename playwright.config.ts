import { existsSync } from 'node:fs'
import { defineConfig } from '@playwright/test'

const debian = '/usr/bin/chromium'
const chromium = process.env['PENSTOCK_CHROMIUM'] ?? (existsSync(debian) ? debian : undefined)

// Whole journeys against the production build. Each worker starts a server of its own (e2e/fixture.ts).
export default defineConfig({
  testDir: 'e2e',
  testMatch: '**/*.spec.ts',
  outputDir: 'test-results/journeys',
  fullyParallel: false,
  workers: 2,
  retries: 0,
  forbidOnly: process.env['CI'] !== undefined,
  timeout: 120_000,
  expect: { timeout: 30_000 },
  use: {
    viewport: { width: 1280, height: 800 },
    locale: 'en-GB',
    timezoneId: 'UTC',
    // Recording doubles what a journey takes; `--trace retain-on-failure` asks for it.
    trace: 'off',
    screenshot: 'only-on-failure',
    launchOptions: {
      ...(chromium ? { executablePath: chromium } : {}),
      args: [
        // Chromium refuses its sandbox to root
        ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
        '--disable-gpu',
        '--disable-background-networking',
        '--disable-sync',
        '--no-first-run',
      ],
    },
  },
})
