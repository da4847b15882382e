; What the app has written into the registry for itself goes with it. An update is an uninstall too, and leaves it.
!macro customUnInstall
  ${ifNot} ${isUpdated}
    DeleteRegKey HKCU "Software\Classes\longshore"
    DeleteRegValue HKCU "Software\Microsoft\Windows\CurrentVersion\Run" "app.longshore.desktop"
  ${endIf}
!macroend
