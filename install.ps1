<#
.SYNOPSIS
Installs hamr on Windows for you alone: takes the archive out of a release, checks its SHA-256, and puts the program into a
folder of yours. Nothing is changed unless all of that went well.
.PARAMETER From
Where the files of the release are, SHA256SUMS among them: a folder or a URL; {version} in it stands for the version.
Default: $env:HAMR_RELEASES
.PARAMETER Version
Default: the version that this script came with.
.PARAMETER To
Default: Programs\hamr in your local application data.
.EXAMPLE
powershell -ExecutionPolicy Bypass -File install.ps1 -From E:\hamr-0.1.0
#>
param(
  [string] $From = $env:HAMR_RELEASES,
  [string] $Version = '0.1.0',
  [string] $To = (Join-Path $env:LOCALAPPDATA 'Programs\hamr')
)
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'

if (-not $From) { throw 'name the release: -From FOLDER or -From URL' }
$Version = $Version -replace '^v', ''
$from = $From.TrimEnd('/', '\').Replace('{version}', $Version)
# Windows on ARM runs programs for x64, too.
$machine = if ($env:PROCESSOR_ARCHITEW6432) { $env:PROCESSOR_ARCHITEW6432 } else { $env:PROCESSOR_ARCHITECTURE }
if ($machine -notin 'AMD64', 'ARM64') { throw "there is no hamr for $machine" }
$name = "hamr-$Version-windows-x64"
$file = "$name.tar.gz"
$work = Join-Path ([IO.Path]::GetTempPath()) "hamr_$([Guid]::NewGuid())"

function Get-ReleaseFile([string] $Wanted) {
  $path = Join-Path $work $Wanted
  if ($from -match '^https?://') {
    try {
      Invoke-WebRequest -UseBasicParsing -Uri "$from/$Wanted" -OutFile $path
    } catch {
      throw "$from/$Wanted could not be downloaded: $_"
    }
  } else {
    Copy-Item -LiteralPath (Join-Path $from $Wanted) -Destination $path
  }
  return $path
}

New-Item -ItemType Directory -Path $work | Out-Null
try {
  $lines = Get-Content -LiteralPath (Get-ReleaseFile 'SHA256SUMS')
  $line = @($lines | Where-Object { $_.EndsWith("  $file") })
  if ($line.Count -ne 1) { throw "the release in $from has no $file" }
  $sum = $line[0].Substring(0, 64)
  $archive = Get-ReleaseFile $file
  $found = (Get-FileHash -LiteralPath $archive -Algorithm SHA256).Hash
  if ($found -ne $sum) { throw "$file is not what SHA256SUMS says ($found): cut off, or changed" }
  # The one of Windows: the one of Git takes C: for the name of a machine.
  & "$env:SystemRoot\System32\tar.exe" -xf $archive -C $work
  if ($LASTEXITCODE -ne 0) { throw "$file can't be unpacked" }
  $program = Join-Path (Join-Path $work $name) 'hamr.exe'
  $said = & $program --version
  if ($LASTEXITCODE -ne 0) { throw "it does not start here: $said" }

  New-Item -ItemType Directory -Force -Path $To | Out-Null
  $target = Join-Path $To 'hamr.exe'
  # A program that runs can't be replaced, but it can be moved out of the way.
  $before = Join-Path $To 'hamr.before.exe'
  if (Test-Path -LiteralPath $target) { Move-Item -Force -LiteralPath $target -Destination $before }
  try {
    Copy-Item -LiteralPath $program -Destination $target
  } catch {
    if (Test-Path -LiteralPath $before) { Move-Item -Force -LiteralPath $before -Destination $target }
    throw
  }
  Remove-Item -Force -ErrorAction SilentlyContinue -LiteralPath $before
  "$said is in $target"
  if (($env:Path -split ';') -notcontains $To) {
    "$To is not in your Path; add it under Settings > System > About > Advanced system settings"
  }
} finally {
  Remove-Item -Recurse -Force -ErrorAction SilentlyContinue -LiteralPath $work
}
