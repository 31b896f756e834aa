//! A writer of ZIP archives whose files are stored as they are, without compression (APPNOTE.TXT, sections 4.3.7 and
//! 4.3.12). Files and archives are smaller than 4 GiB.

/// First bytes of the header before a file.
const FILE_HEADER: u32 = 0x0403_4b50;
/// First bytes of an entry of the directory at the end.
const DIRECTORY_ENTRY: u32 = 0x0201_4b50;
/// First bytes of the end of the directory.
const DIRECTORY_END: u32 = 0x0605_4b50;
/// Version of the format: 2.0, with folders.
const VERSION: u16 = 20;
/// Flag of names in UTF-8.
const NAMES_ARE_UTF_8: u16 = 1 << 11;
/// Date of all files, 1 January 1980: equal files give equal archives.
const DATE: u16 = (1 << 5) | 1;

/// An archive that is being written.
#[derive(Debug, Clone, Default)]
pub struct ZipWriter {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    files: u16,
}

impl ZipWriter {
    /// An archive without files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file; slashes in its name separate folders.
    pub fn add(&mut self, name: &str, content: &[u8]) {
        let start = self.bytes.len() as u32;
        let (size, checksum) = (content.len() as u32, crc32fast::hash(content));
        let mut common = Vec::new();
        for number in [VERSION, NAMES_ARE_UTF_8, 0, 0, DATE] {
            common.extend(number.to_le_bytes());
        }
        for number in [checksum, size, size] {
            common.extend(number.to_le_bytes());
        }
        common.extend((name.len() as u16).to_le_bytes());
        common.extend(0_u16.to_le_bytes());
        self.bytes.extend(FILE_HEADER.to_le_bytes());
        self.bytes.extend(&common);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(content);
        self.directory.extend(DIRECTORY_ENTRY.to_le_bytes());
        self.directory.extend(VERSION.to_le_bytes());
        self.directory.extend(common);
        // Comment, number of the disk, and attributes are empty.
        self.directory.extend([0; 10]);
        self.directory.extend(start.to_le_bytes());
        self.directory.extend(name.as_bytes());
        self.files += 1;
    }

    /// The archive's bytes.
    #[must_use]
    pub fn into_bytes(mut self) -> Vec<u8> {
        let (start, size) = (self.bytes.len() as u32, self.directory.len() as u32);
        self.bytes.extend(self.directory);
        self.bytes.extend(DIRECTORY_END.to_le_bytes());
        // Numbers of disks.
        self.bytes.extend([0; 4]);
        self.bytes.extend(self.files.to_le_bytes());
        self.bytes.extend(self.files.to_le_bytes());
        self.bytes.extend(size.to_le_bytes());
        self.bytes.extend(start.to_le_bytes());
        self.bytes.extend([0; 2]);
        self.bytes
    }
}
